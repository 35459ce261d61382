/* A table that is wider than its place becomes a list: each line with its headings beside its values. */
(() => {
  const places = [...document.querySelectorAll(".scroll")];
  function fold(place) {
    place.classList.remove("folded");
    place.classList.toggle("folded", place.scrollWidth > place.clientWidth);
  }
  let width = 0;
  function foldAll() {
    if (innerWidth === width) return;
    width = innerWidth;
    places.forEach(fold);
  }
  foldAll();
  addEventListener("resize", foldAll);
  document.addEventListener("toggle", (event) => event.target.querySelectorAll(".scroll").forEach(fold), true);
})();
