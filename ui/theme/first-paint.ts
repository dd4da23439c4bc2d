/** Runs before first paint, so that the page never flashes in the other color scheme. */
const chosen = localStorage.getItem("theme-mode") ?? "system";
const isDark = chosen === "dark" || (chosen === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.dataset.scheme = isDark ? "dark" : "light";
