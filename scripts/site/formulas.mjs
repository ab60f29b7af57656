// formulas.mjs - renders formulas with KaTeX. Standard input: a JSON list of [TeX, display]; standard output: a list of HTML.
// A formula that is wrong ends it with an error.
import katex from "katex";

let text = "";
for await (const chunk of process.stdin) text += chunk;
const render = ([tex, displayMode]) => katex.renderToString(tex, { displayMode, throwOnError: true, strict: "error" });
process.stdout.write(JSON.stringify(JSON.parse(text).map(render)));
