import AccountBalanceWalletOutlined from "@mui/icons-material/AccountBalanceWalletOutlined";
import AccountTreeOutlined from "@mui/icons-material/AccountTreeOutlined";
import AdminPanelSettingsOutlined from "@mui/icons-material/AdminPanelSettingsOutlined";
import AltRouteOutlined from "@mui/icons-material/AltRouteOutlined";
import BadgeOutlined from "@mui/icons-material/BadgeOutlined";
import BalanceOutlined from "@mui/icons-material/BalanceOutlined";
import BrushOutlined from "@mui/icons-material/BrushOutlined";
import CableOutlined from "@mui/icons-material/CableOutlined";
import CallSplitOutlined from "@mui/icons-material/CallSplitOutlined";
import CampaignOutlined from "@mui/icons-material/CampaignOutlined";
import CardMembershipOutlined from "@mui/icons-material/CardMembershipOutlined";
import ErrorOutlineOutlined from "@mui/icons-material/ErrorOutlineOutlined";
import ExtensionOutlined from "@mui/icons-material/ExtensionOutlined";
import FactCheckOutlined from "@mui/icons-material/FactCheckOutlined";
import ForumOutlined from "@mui/icons-material/ForumOutlined";
import GroupOutlined from "@mui/icons-material/GroupOutlined";
import GroupsOutlined from "@mui/icons-material/GroupsOutlined";
import HandshakeOutlined from "@mui/icons-material/HandshakeOutlined";
import HowToRegOutlined from "@mui/icons-material/HowToRegOutlined";
import HubOutlined from "@mui/icons-material/HubOutlined";
import InsightsOutlined from "@mui/icons-material/InsightsOutlined";
import KeyOutlined from "@mui/icons-material/KeyOutlined";
import ManageHistoryOutlined from "@mui/icons-material/ManageHistoryOutlined";
import MenuBookOutlined from "@mui/icons-material/MenuBookOutlined";
import MonitorHeartOutlined from "@mui/icons-material/MonitorHeartOutlined";
import MusicNoteOutlined from "@mui/icons-material/MusicNoteOutlined";
import NotificationsActiveOutlined from "@mui/icons-material/NotificationsActiveOutlined";
import OutboxOutlined from "@mui/icons-material/OutboxOutlined";
import PersonOutlineOutlined from "@mui/icons-material/PersonOutlineOutlined";
import ReceiptLongOutlined from "@mui/icons-material/ReceiptLongOutlined";
import ReceiptOutlined from "@mui/icons-material/ReceiptOutlined";
import RedeemOutlined from "@mui/icons-material/RedeemOutlined";
import ReplayOutlined from "@mui/icons-material/ReplayOutlined";
import RequestQuoteOutlined from "@mui/icons-material/RequestQuoteOutlined";
import RocketLaunchOutlined from "@mui/icons-material/RocketLaunchOutlined";
import ScheduleOutlined from "@mui/icons-material/ScheduleOutlined";
import ScienceOutlined from "@mui/icons-material/ScienceOutlined";
import SensorsOutlined from "@mui/icons-material/SensorsOutlined";
import Shield from "@mui/icons-material/ShieldOutlined";
import SmartToyOutlined from "@mui/icons-material/SmartToyOutlined";
import TuneOutlined from "@mui/icons-material/TuneOutlined";
import VpnKeyOutlined from "@mui/icons-material/VpnKeyOutlined";
import type SvgIcon from "@mui/material/SvgIcon";
import type { NavGroup, NavItem } from "./nav.ts";

/** The icon of each entry that stands for several pages. */
export const GROUP_ICONS: Readonly<Record<NavGroup, typeof SvgIcon>> = {
  connections: CableOutlined,
  logs: ReceiptLongOutlined,
  models: AltRouteOutlined,
  quality: ScienceOutlined,
  access: GroupOutlined,
  billing: ReceiptOutlined,
  monitoring: NotificationsActiveOutlined,
  system: MonitorHeartOutlined,
};

/** The icon of each page in the sidebar and the palette; apart from `nav.ts`, because the sign-in page needs none of them. */
export const PAGE_ICONS: Readonly<Record<NavItem["label"], typeof SvgIcon>> = {
  start: RocketLaunchOutlined,
  playground: ForumOutlined,
  dashboard: InsightsOutlined,
  tokens: KeyOutlined,
  providerKeys: VpnKeyOutlined,
  mcpSignIns: HowToRegOutlined,
  logs: ReceiptLongOutlined,
  sessions: AccountTreeOutlined,
  failures: ErrorOutlineOutlined,
  drawings: BrushOutlined,
  tasks: MusicNoteOutlined,
  channels: HubOutlined,
  catalog: MenuBookOutlined,
  guardrails: Shield,
  mcpServers: ExtensionOutlined,
  routes: CallSplitOutlined,
  experiments: ScienceOutlined,
  replays: ReplayOutlined,
  channelChecks: FactCheckOutlined,
  routing: AltRouteOutlined,
  live: SensorsOutlined,
  users: GroupOutlined,
  serviceAccounts: SmartToyOutlined,
  adminRoles: AdminPanelSettingsOutlined,
  identityProviders: BadgeOutlined,
  codes: RedeemOutlined,
  agents: HandshakeOutlined,
  plans: CardMembershipOutlined,
  orders: ReceiptOutlined,
  statements: RequestQuoteOutlined,
  books: BalanceOutlined,
  audit: ManageHistoryOutlined,
  doctor: MonitorHeartOutlined,
  jobs: ScheduleOutlined,
  alerts: NotificationsActiveOutlined,
  exports: OutboxOutlined,
  notices: CampaignOutlined,
  settings: TuneOutlined,
  wallet: AccountBalanceWalletOutlined,
  organizations: GroupsOutlined,
  personalSettings: PersonOutlineOutlined,
};
