import { chatLinksShape, json } from "../json-option.ts";
import { address, bool, integer, line, text } from "../option.ts";

/** The site: its name, its texts, how amounts are shown, which usage mode it runs in. */
export const generalOptions = {
  ServerAddress: address("", { status: "server_address" }),
  SystemName: line("Sluice", { status: "system_name" }),
  Logo: text("", { status: "logo" }),
  Footer: text("", { status: "footer_html" }),
  Notice: text(),
  About: text(),
  HomePageContent: text(),
  TopUpLink: line("", { status: "top_up_link" }),
  "general_setting.docs_link": line("", { status: "docs_link" }),
  /** `{key}` becomes the API key with `sk-`, `{address}` the gateway's URL-encoded address. */
  Chats: json([], chatLinksShape, { status: "chats" }),
  /** Visitors may see how models do. */
  StatusPageEnabled: bool(false, { status: "status_page_enabled" }),
  /** Prices that change are told to whoever wants to hear of such. */
  PriceChangeNoticeEnabled: bool(false),
  /** Quota units of one dollar. */
  QuotaPerUnit: integer(500_000, { min: 1 }, { status: "quota_per_unit" }),
  DisplayInCurrencyEnabled: bool(true, { status: "display_in_currency" }),
  DisplayTokenStatEnabled: bool(true),
  DefaultCollapseSidebar: bool(false, { status: "default_collapse_sidebar" }),
  DemoSiteEnabled: bool(false, { status: "demo_site_enabled" }),
  SelfUseModeEnabled: bool(false, { status: "self_use_mode_enabled" }),
  /** Fetch proxy for media downloads and webhooks. */
  WorkerUrl: address(),
  WorkerValidKey: line("", { secret: true }),
};
