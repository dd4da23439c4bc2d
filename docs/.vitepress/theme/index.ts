/** The default theme with the system's fonts and the console's color. */
import theme from "vitepress/theme-without-fonts";
import "./style.css";

export default theme;
