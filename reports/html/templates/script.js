"use strict";
// Filters the claims, unfolds what a link leads to and, for print, everything. Without it all is shown.
(() => {
  const form = document.querySelector("form.filter");
  const claims = [...document.querySelectorAll("[data-verdict]")];
  const rows = claims.filter((claim) => claim.matches("tr"));
  const folds = [...document.querySelectorAll("main details")];

  function filter() {
    const wanted = [...form.querySelectorAll("select")].filter((choice) => choice.value);
    for (const claim of claims)
      claim.hidden = !wanted.every((choice) => claim.dataset[choice.name] === choice.value);
    for (const section of document.querySelectorAll("section.theorem"))
      section.hidden = wanted.length > 0 && !section.querySelector("article:not([hidden])");
    const shown = rows.filter((row) => !row.hidden).length;
    form.querySelector("output").textContent = `${shown} of ${rows.length} claims`;
  }

  function reveal() {
    const target = document.querySelector(":target");
    if (!target) return;
    if (form && target.closest("[hidden]")) {
      form.reset();
      filter();
    }
    for (const fold of [target.closest("details"), target.matches("article") && target.querySelector("details")])
      if (fold) fold.open = true;
    target.scrollIntoView();
  }

  if (form) {
    form.hidden = false;
    form.addEventListener("change", filter);
    form.addEventListener("reset", () => setTimeout(filter));
    form.querySelector("button.unfold").addEventListener("click", () => {
      const open = folds.some((fold) => !fold.open);
      for (const fold of folds) fold.open = open;
    });
    filter();
  }
  addEventListener("load", reveal);
  addEventListener("hashchange", reveal);
  addEventListener("beforeprint", () => {
    for (const fold of folds) {
      fold.dataset.was = fold.open ? "open" : "";
      fold.open = true;
    }
  });
  addEventListener("afterprint", () => {
    for (const fold of folds) fold.open = fold.dataset.was === "open";
  });
})();
