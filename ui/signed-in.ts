/**
 * Everything that signed-in users see, loaded after the first paint: the shell around their pages, the components that
 * most pages use, and a loader for each page. Pages are loaded only through this file, so that the bundler knows these
 * components to be loaded already; otherwise each set of components that some pages share would become its own chunk,
 * about a hundred in all.
 */
import { loadTexts } from "./state/i18n.ts";

export { projects } from "./api/accounts/spending-calls.ts";
export { eachOf } from "./api/each-of.ts";
export { defaultModel } from "./api/models/default-model.ts";
export { DataTable } from "./components/data-table/DataTable.tsx";
export { CopyButton } from "./components/display/CopyButton.tsx";
export { Money } from "./components/display/Money.tsx";
export { EmptyState } from "./components/feedback/EmptyState.tsx";
export { ErrorState } from "./components/feedback/ErrorState.tsx";
export { SettingLink } from "./components/feedback/SettingLink.tsx";
export { SideDrawer } from "./components/feedback/SideDrawer.tsx";
export { FilterBar } from "./components/inputs/FilterBar.tsx";
export { MoneyInput } from "./components/inputs/MoneyInput.tsx";
export { SavedViews } from "./components/inputs/SavedViews.tsx";
export { SwitchRow } from "./components/inputs/SwitchRow.tsx";
export { PageHeader } from "./components/layout.tsx";
export { ListPage } from "./components/page/list/ListPage.tsx";
export { deleting } from "./components/page/list/standard-actions.tsx";
export { NoModels } from "./components/page/NoModels.tsx";
export { PageFocus } from "./components/page/PageFocus.tsx";
export { CreatedDialog } from "./features/api-keys/CreatedDialog.tsx";
export { createApiKeys } from "./features/api-keys/drawer/api-key-calls.ts";
export { Bell } from "./features/notifications/announcements/Bell.tsx";
export { AccountMenu } from "./features/system/shell/menus/AccountMenu.tsx";
export { Sider, SiderDrawer } from "./features/system/shell/Sider.tsx";

export const agentInfo = () => withTexts(import("./features/wallet/agents/AgentInfoPage.tsx"), "account");
export const agentList = () => withTexts(import("./features/wallet/agents/AgentListPage.tsx"), "account");
export const alerts = () => withTexts(import("./features/alerts/AlertsPage.tsx"), "admin", "records");
export const auditLog = () =>
  withTexts(import("./features/logs/audit/AuditLogPage.tsx"), "admin", "account", "records");
export const ledgerCheck = () => withTexts(import("./features/system/ledger-check/LedgerCheckPage.tsx"), "admin");
export const channelList = () => withTexts(import("./features/channels/list/ChannelListPage.tsx"), "admin", "records");
export const catalog = () => withTexts(import("./features/models/catalog/CatalogPage.tsx"), "admin");
export const chatToLink = () => import("./features/playground/links/ChatPage.tsx");
export const detail = () => withTexts(import("./features/logs/usage/DashboardPage.tsx"), "records");
export const commandPalette = () => import("./features/system/shell/CommandPalette.tsx");
export const diagnostics = () => withTexts(import("./features/system/diagnostics/DiagnosticsPage.tsx"), "admin");
export const drawingLog = () => withTexts(import("./features/tasks/DrawingLogPage.tsx"), "records");
export const identityProviderList = () =>
  withTexts(import("./features/accounts/identity-providers/IdentityProvidersPage.tsx"), "admin");
export const failureList = () => withTexts(import("./features/logs/failures/FailureListPage.tsx"), "admin", "records");
export const jobs = () => withTexts(import("./features/system/jobs/JobsPage.tsx"), "admin");
export const logArchive = () => withTexts(import("./features/logs/archive/ArchivePage.tsx"), "records");
export const keyboardHelp = () => import("./features/system/shell/KeyboardHelp.tsx");
export const live = () => withTexts(import("./features/logs/live/LivePage.tsx"), "admin", "records");
export const notice = () => withTexts(import("./features/notifications/broadcasts/NoticePage.tsx"), "account");
export const authorizeApplication = () => import("./features/api-keys/applications/AuthorizePage.tsx");
export const device = () => import("./features/api-keys/DevicePage.tsx");
export const joinOrganization = () => withTexts(import("./features/accounts/organizations/JoinPage.tsx"), "records");
export const organization = () =>
  withTexts(import("./features/accounts/organizations/OrganizationPage.tsx"), "admin", "account", "records");
export const orderList = () => withTexts(import("./features/wallet/orders/OrderListPage.tsx"), "account");
export const personal = () =>
  withTexts(import("./features/accounts/profile/PersonalPage.tsx"), "admin", "site", "account", "records");
export const planList = () => withTexts(import("./features/wallet/plans/PlanListPage.tsx"), "account");
export const playground = () => withTexts(import("./features/playground/PlaygroundPage.tsx"), "records");
export const redemptionList = () => withTexts(import("./features/wallet/codes/CodeListPage.tsx"), "admin");
export const request = () => withTexts(import("./features/logs/detail/RequestPage.tsx"), "records");
export const authenticity = () => withTexts(import("./features/channels/authenticity/AuthenticityPage.tsx"), "admin");
export const mcpSignInList = () => withTexts(import("./features/models/mcp/sign-ins/McpSignInListPage.tsx"), "account");
export const mcpSignInCallback = () =>
  withTexts(import("./features/models/mcp/sign-ins/SignInCallbackPage.tsx"), "account");
export const providerKeyList = () =>
  withTexts(import("./features/channels/provider-keys/ProviderKeyListPage.tsx"), "account");
export const replays = () => withTexts(import("./features/models/replays/ReplayPage.tsx"), "admin");
export const experiments = () => withTexts(import("./features/models/experiments/ExperimentPage.tsx"), "admin");
export const mcpServerList = () => withTexts(import("./features/models/mcp/McpServerListPage.tsx"), "admin");
export const guardrailList = () => withTexts(import("./features/models/guardrails/GuardrailListPage.tsx"), "admin");
export const routeList = () => withTexts(import("./features/models/routes/RouteListPage.tsx"), "admin");
export const routerExplain = () => withTexts(import("./features/channels/explain/RouteExplainPage.tsx"), "admin");
export const sessionList = () => withTexts(import("./features/logs/sessions/SessionListPage.tsx"), "admin", "records");
export const adminRoleList = () => withTexts(import("./features/accounts/access/AdminRolesPage.tsx"), "admin");
export const serviceAccountList = () =>
  withTexts(import("./features/accounts/access/ServiceAccountsPage.tsx"), "admin");
export const sinkList = () => withTexts(import("./features/logs/sinks/SinkListPage.tsx"), "admin");
export const start = () => withTexts(import("./features/system/first-steps/StartPage.tsx"), "admin");
export const setting = async () => {
  await loadTexts("admin", "settings");
  return import("./features/settings/SettingsPage.tsx");
};
export const statementList = () => withTexts(import("./features/wallet/statements/StatementListPage.tsx"), "account");
export const taskLog = () => withTexts(import("./features/tasks/TaskLogPage.tsx"), "records");
export const apiKeyList = () => import("./features/api-keys/ApiKeyListPage.tsx");
export const topup = () => withTexts(import("./features/wallet/WalletPage.tsx"), "account");
export const usageLog = () => {
  // Its list needs them at once.
  void import("./components/data-table/paging/NearRows.tsx");
  return withTexts(import("./features/logs/list/UsageLogPage.tsx"), "records");
};
export const userList = () => withTexts(import("./features/accounts/users/UserListPage.tsx"), "admin");

/** A page with the texts that it needs besides those of every signed-in page. */
async function withTexts<Page>(page: Promise<Page>, ...parts: Parameters<typeof loadTexts>): Promise<Page> {
  const [loaded] = await Promise.all([page, loadTexts(...parts)]);
  return loaded;
}
