/**
 * Everything that signed-in users see, loaded after the first paint: the shell around their pages, the components that
 * most pages use, and a loader for each page. Pages are loaded only through this file, so that the bundler knows these
 * components to be loaded already; otherwise each set of components that some pages share would become its own chunk,
 * about a hundred in all.
 */
import { loadSettingsTexts } from "./state/i18n.ts";

export { eachOf } from "./api/each-of.ts";
export { DataTable } from "./components/data-table/DataTable.tsx";
export { CopyButton } from "./components/display/CopyButton.tsx";
export { Money } from "./components/display/Money.tsx";
export { EmptyState } from "./components/feedback/EmptyState.tsx";
export { ErrorState } from "./components/feedback/ErrorState.tsx";
export { SettingLink } from "./components/feedback/SettingLink.tsx";
export { SideDrawer } from "./components/feedback/SideDrawer.tsx";
export { default as ToastHost } from "./components/feedback/Toasts.tsx";
export { FilterBar } from "./components/inputs/FilterBar.tsx";
export { QuotaInput } from "./components/inputs/QuotaInput.tsx";
export { SavedViews } from "./components/inputs/SavedViews.tsx";
export { SwitchRow } from "./components/inputs/SwitchRow.tsx";
export { PageHeader } from "./components/layout.tsx";
export { projects } from "./features/account/organizations/spending/spending-calls.ts";
export { Bell } from "./features/admin/announcements/Bell.tsx";
export { defaultModel } from "./features/models/default-model.ts";
export { NoModels } from "./features/playground/NoModels.tsx";
export { AccountMenu } from "./features/shell/menus/AccountMenu.tsx";
export { Sider, SiderDrawer } from "./features/shell/Sider.tsx";
export { CreatedDialog } from "./features/tokens/CreatedDialog.tsx";
export { createApiKeys } from "./features/tokens/drawer/token-calls.ts";

export const agentInfo = () => import("./features/wallet/agents/AgentInfoPage.tsx");
export const agentList = () => import("./features/wallet/agents/AgentListPage.tsx");
export const alerts = () => import("./features/admin/alerts/AlertsPage.tsx");
export const auditLog = () => import("./features/admin/audit/AuditLogPage.tsx");
export const books = () => import("./features/admin/BooksPage.tsx");
export const channelList = () => import("./features/channels/list/ChannelListPage.tsx");
export const catalog = () => import("./features/models/catalog/CatalogPage.tsx");
export const chatToLink = () => import("./features/playground/links/ChatPage.tsx");
export const detail = () => import("./features/dashboard/DashboardPage.tsx");
export const commandPalette = () => import("./features/shell/CommandPalette.tsx");
export const doctor = () => import("./features/admin/doctor/DoctorPage.tsx");
export const drawingLog = () => import("./features/logs/tasks/DrawingLogPage.tsx");
export const identityProviderList = () => import("./features/admin/access/providers/IdentityProvidersPage.tsx");
export const jobs = () => import("./features/admin/jobs/JobsPage.tsx");
export const logArchive = () => import("./features/logs/archive/ArchivePage.tsx");
export const keyboardHelp = () => import("./features/shell/KeyboardHelp.tsx");
export const live = () => import("./features/admin/live/LivePage.tsx");
export const notice = () => import("./features/admin/NoticePage.tsx");
export const joinOrganization = () => import("./features/account/organizations/JoinPage.tsx");
export const organization = () => import("./features/account/organizations/OrganizationPage.tsx");
export const orderList = () => import("./features/wallet/orders/OrderListPage.tsx");
export const personal = () => import("./features/account/personal/PersonalPage.tsx");
export const planList = () => import("./features/wallet/plans/PlanListPage.tsx");
export const playground = () => import("./features/playground/PlaygroundPage.tsx");
export const redemptionList = () => import("./features/admin/codes/CodeListPage.tsx");
export const request = () => import("./features/logs/detail/RequestPage.tsx");
export const channelChecks = () => import("./features/models/checks/ChannelChecksPage.tsx");
export const replays = () => import("./features/models/replays/ReplayPage.tsx");
export const experiments = () => import("./features/models/experiments/ExperimentPage.tsx");
export const routeList = () => import("./features/models/routes/RouteListPage.tsx");
export const routerExplain = () => import("./features/channels/explain/RouteExplainPage.tsx");
export const sessionList = () => import("./features/logs/detail/sessions/SessionListPage.tsx");
export const adminRoleList = () => import("./features/admin/access/AdminRolesPage.tsx");
export const serviceAccountList = () => import("./features/admin/access/ServiceAccountsPage.tsx");
export const sinkList = () => import("./features/admin/sinks/SinkListPage.tsx");
export const start = () => import("./features/site/start/StartPage.tsx");
export const setting = async () => {
  await loadSettingsTexts();
  return import("./features/settings/SettingsPage.tsx");
};
export const statementList = () => import("./features/wallet/statements/StatementListPage.tsx");
export const taskLog = () => import("./features/logs/tasks/TaskLogPage.tsx");
export const tokenList = () => import("./features/tokens/TokenListPage.tsx");
export const topup = () => import("./features/wallet/WalletPage.tsx");
export const usageLog = () => {
  // Its list needs them at once.
  void import("./components/data-table/paging/NearRows.tsx");
  return import("./features/logs/UsageLogPage.tsx");
};
export const userList = () => import("./features/admin/users/UserListPage.tsx");
