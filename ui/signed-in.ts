/**
 * Everything that signed-in users see, loaded after the first paint: the shell around their pages, the components that
 * most pages use, and a loader for each page. Pages are loaded only through this file, so that the bundler knows these
 * components to be loaded already; otherwise each set of components that some pages share would become its own chunk,
 * about a hundred in all.
 */
import { loadTexts } from "./state/i18n.ts";

export { eachOf } from "./api/each-of.ts";
export { DataTable } from "./components/data-table/DataTable.tsx";
export { CopyButton } from "./components/display/CopyButton.tsx";
export { Money } from "./components/display/Money.tsx";
export { EmptyState } from "./components/feedback/EmptyState.tsx";
export { ErrorState } from "./components/feedback/ErrorState.tsx";
export { SettingLink } from "./components/feedback/SettingLink.tsx";
export { SideDrawer } from "./components/feedback/SideDrawer.tsx";
export { FilterBar } from "./components/inputs/FilterBar.tsx";
export { QuotaInput } from "./components/inputs/QuotaInput.tsx";
export { SavedViews } from "./components/inputs/SavedViews.tsx";
export { SwitchRow } from "./components/inputs/SwitchRow.tsx";
export { PageHeader } from "./components/layout.tsx";
export { PageFocus } from "./components/PageFocus.tsx";
export { projects } from "./features/account/organizations/spending/spending-calls.ts";
export { Bell } from "./features/admin/announcements/Bell.tsx";
export { defaultModel } from "./features/models/default-model.ts";
export { NoModels } from "./features/playground/NoModels.tsx";
export { AccountMenu } from "./features/shell/menus/AccountMenu.tsx";
export { Sider, SiderDrawer } from "./features/shell/Sider.tsx";
export { CreatedDialog } from "./features/tokens/CreatedDialog.tsx";
export { createApiKeys } from "./features/tokens/drawer/token-calls.ts";

export const agentInfo = () => withTexts(import("./features/wallet/agents/AgentInfoPage.tsx"), "account");
export const agentList = () => withTexts(import("./features/wallet/agents/AgentListPage.tsx"), "account");
export const alerts = () => withTexts(import("./features/admin/alerts/AlertsPage.tsx"), "admin", "records");
export const auditLog = () =>
  withTexts(import("./features/admin/audit/AuditLogPage.tsx"), "admin", "account", "records");
export const books = () => withTexts(import("./features/admin/books/BooksPage.tsx"), "admin");
export const channelList = () => withTexts(import("./features/channels/list/ChannelListPage.tsx"), "admin", "records");
export const catalog = () => withTexts(import("./features/models/catalog/CatalogPage.tsx"), "admin");
export const chatToLink = () => import("./features/playground/links/ChatPage.tsx");
export const detail = () => withTexts(import("./features/dashboard/DashboardPage.tsx"), "records");
export const commandPalette = () => import("./features/shell/CommandPalette.tsx");
export const doctor = () => withTexts(import("./features/admin/doctor/DoctorPage.tsx"), "admin");
export const drawingLog = () => withTexts(import("./features/logs/tasks/DrawingLogPage.tsx"), "records");
export const identityProviderList = () =>
  withTexts(import("./features/admin/access/providers/IdentityProvidersPage.tsx"), "admin");
export const jobs = () => withTexts(import("./features/admin/jobs/JobsPage.tsx"), "admin");
export const logArchive = () => withTexts(import("./features/logs/archive/ArchivePage.tsx"), "records");
export const keyboardHelp = () => import("./features/shell/KeyboardHelp.tsx");
export const live = () => withTexts(import("./features/admin/live/LivePage.tsx"), "admin", "records");
export const notice = () => withTexts(import("./features/admin/NoticePage.tsx"), "account");
export const joinOrganization = () => import("./features/account/organizations/JoinPage.tsx");
export const organization = () =>
  withTexts(import("./features/account/organizations/OrganizationPage.tsx"), "admin", "account", "records");
export const orderList = () => withTexts(import("./features/wallet/orders/OrderListPage.tsx"), "account");
export const personal = () =>
  withTexts(import("./features/account/personal/PersonalPage.tsx"), "admin", "site", "account", "records");
export const planList = () => withTexts(import("./features/wallet/plans/PlanListPage.tsx"), "account");
export const playground = () => import("./features/playground/PlaygroundPage.tsx");
export const redemptionList = () => withTexts(import("./features/admin/codes/CodeListPage.tsx"), "admin");
export const request = () => withTexts(import("./features/logs/detail/RequestPage.tsx"), "records");
export const channelChecks = () => withTexts(import("./features/models/checks/ChannelChecksPage.tsx"), "admin");
export const replays = () => withTexts(import("./features/models/replays/ReplayPage.tsx"), "admin");
export const experiments = () => withTexts(import("./features/models/experiments/ExperimentPage.tsx"), "admin");
export const routeList = () => withTexts(import("./features/models/routes/RouteListPage.tsx"), "admin");
export const routerExplain = () => withTexts(import("./features/channels/explain/RouteExplainPage.tsx"), "admin");
export const sessionList = () => withTexts(import("./features/logs/detail/sessions/SessionListPage.tsx"), "admin");
export const adminRoleList = () => withTexts(import("./features/admin/access/AdminRolesPage.tsx"), "admin");
export const serviceAccountList = () => withTexts(import("./features/admin/access/ServiceAccountsPage.tsx"), "admin");
export const sinkList = () => withTexts(import("./features/admin/sinks/SinkListPage.tsx"), "admin");
export const start = () => withTexts(import("./features/site/start/StartPage.tsx"), "admin");
export const setting = async () => {
  await loadTexts("admin", "settings");
  return import("./features/settings/SettingsPage.tsx");
};
export const statementList = () => withTexts(import("./features/wallet/statements/StatementListPage.tsx"), "account");
export const taskLog = () => withTexts(import("./features/logs/tasks/TaskLogPage.tsx"), "records");
export const tokenList = () => import("./features/tokens/TokenListPage.tsx");
export const topup = () => withTexts(import("./features/wallet/WalletPage.tsx"), "account");
export const usageLog = () => {
  // Its list needs them at once.
  void import("./components/data-table/paging/NearRows.tsx");
  return withTexts(import("./features/logs/UsageLogPage.tsx"), "records");
};
export const userList = () => withTexts(import("./features/admin/users/UserListPage.tsx"), "admin");

/** A page with the texts that it needs besides those of every signed-in page. */
async function withTexts<Page>(page: Promise<Page>, ...parts: Parameters<typeof loadTexts>): Promise<Page> {
  const [loaded] = await Promise.all([page, loadTexts(...parts)]);
  return loaded;
}
