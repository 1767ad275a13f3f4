// The page's scripts in their order there: they are one module. The theme comes first, so that it works even if the
// rest fails.
scripts! { "theme.js", "data.js", "format.js", "state.js", "matrix.js", "save.js", "heat.js", "detail.js", "charts.js", "pick.js", "pictures.js", "map.js", "main.js" }
