/**
 * What people who are signed in see, loaded after the page: what stands around their pages, what most of these are made
 * of, and the way to each of them. Pages are loaded from here alone, so that the bundler knows all of this to be there
 * already; else each set of parts that some pages share would be a file of its own, a hundred in all.
 */
export { CopyButton } from "./components/CopyButton.tsx";
export { DataTable } from "./components/data-table/DataTable.tsx";
export { EmptyState } from "./components/EmptyState.tsx";
export { ErrorState } from "./components/ErrorState.tsx";
export { FilterBar } from "./components/FilterBar.tsx";
export { Money } from "./components/Money.tsx";
export { NameListInput } from "./components/NameListInput.tsx";
export { PageHeader } from "./components/PageHeader.tsx";
export { QuotaInput } from "./components/QuotaInput.tsx";
export { SavedViews } from "./components/SavedViews.tsx";
export { SideDrawer } from "./components/SideDrawer.tsx";
export { SwitchRow } from "./components/SwitchRow.tsx";
export { Bell } from "./features/announcements/Bell.tsx";
export { AccountMenu } from "./features/shell/AccountMenu.tsx";
export { CommandPalette } from "./features/shell/CommandPalette.tsx";
export { KeyboardHelp } from "./features/shell/KeyboardHelp.tsx";
export { Sider } from "./features/shell/Sider.tsx";
export { SiderDrawer } from "./features/shell/SiderDrawer.tsx";

export const agentInfo = () => import("./routes/agent-info.tsx");
export const agentList = () => import("./routes/agent-list.tsx");
export const auditLog = () => import("./routes/audit-log.tsx");
export const books = () => import("./routes/books.tsx");
export const channelList = () => import("./routes/channel-list.tsx");
export const catalog = () => import("./routes/catalog.tsx");
export const chatToLink = () => import("./routes/chat-to-link.tsx");
export const detail = () => import("./routes/detail.tsx");
export const doctor = () => import("./routes/doctor.tsx");
export const drawingLog = () => import("./routes/drawing-log.tsx");
export const live = () => import("./routes/live.tsx");
export const notice = () => import("./routes/notice.tsx");
export const orderList = () => import("./routes/order-list.tsx");
export const personal = () => import("./routes/personal.tsx");
export const playground = () => import("./routes/playground.tsx");
export const redemptionList = () => import("./routes/redemption-list.tsx");
export const request = () => import("./routes/request.tsx");
export const routerExplain = () => import("./routes/router-explain.tsx");
export const setting = () => import("./routes/setting.tsx");
export const taskLog = () => import("./routes/task-log.tsx");
export const tokenList = () => import("./routes/token-list.tsx");
export const topup = () => import("./routes/topup.tsx");
export const usageLog = () => import("./routes/usage-log.tsx");
export const userList = () => import("./routes/user-list.tsx");
