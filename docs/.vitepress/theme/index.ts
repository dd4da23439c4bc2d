/** The default theme with the console's fonts and colors. */
import theme from "vitepress/theme-without-fonts";
import "./style.css";

export default theme;
