// space_loader.js - unpacks the view in space, which is in the page only if the machine needs it, and puts it in the place
// of the plane drawing. Where the computer cannot draw in space, the plane drawing stays.
import { fromBase64, gunzip } from "./data.js";
import * as look from "./look.js";

export async function openSpace(element, clock, machine, use) {
  if (!element) return;
  const text = new TextDecoder().decode(await gunzip(fromBase64(element.textContent.trim())));
  const script = document.createElement("script");
  script.textContent = text; // defines globalThis.capstanSpace
  document.head.append(script);
  try {
    use(globalThis.capstanSpace(machine, clock, look));
  } catch (e) {
    console.info(`The plane drawing stays: ${e.message}`);
  }
}
