/** Runs before the page is first painted, so that it never shows the other scheme for a moment. */
const chosen = localStorage.getItem("theme-mode") ?? "system";
const isDark = chosen === "dark" || (chosen === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.dataset.scheme = isDark ? "dark" : "light";
