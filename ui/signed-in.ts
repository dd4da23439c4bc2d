/** What only people who are signed in see: one chunk, loaded after the page. */
export { Bell } from "../announcements/Bell.tsx";
export { AccountMenu } from "./AccountMenu.tsx";
export { CommandPalette } from "./CommandPalette.tsx";
export { KeyboardHelp } from "./KeyboardHelp.tsx";
export { Sider } from "./Sider.tsx";
export { SiderDrawer } from "./SiderDrawer.tsx";
