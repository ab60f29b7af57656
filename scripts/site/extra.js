// What is wider than its page can be scrolled with the keyboard, too.
addEventListener("load", () => {
  for (const e of document.querySelectorAll(".md-typeset__scrollwrap, .katex-display, pre > code"))
    if (e.scrollWidth > e.clientWidth) e.tabIndex = 0;
});
