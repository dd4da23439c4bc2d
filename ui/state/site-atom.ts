import { jsonFormat, storedAtom } from "./stored-atom.ts";

/** The site's public status, from GET /api/status. */
export type SiteStatus = Readonly<{
  version: string;
  /** The project's home page; a stored copy may lack it. */
  project_url?: string;
  setup: boolean;
  system_name: string;
  logo: string;
  /** Heading and introduction of the home page; a stored copy may lack them. */
  home_title?: string;
  home_lead?: string;
  footer_html: string;
  server_address: string;
  docs_link: string;
  quota_per_unit: number;
  display_in_currency: boolean;
  /** Default threshold of low-balance warnings, in quota units; a stored copy may lack it. */
  quota_remind_threshold?: number;
  default_collapse_sidebar: boolean;
  self_use_mode_enabled: boolean;
  demo_site_enabled: boolean;
  enable_data_export: boolean;
  check_in_enabled: boolean;
  /** A stored copy may lack it. */
  status_page_enabled?: boolean;
  /** A stored copy may lack it. */
  end_users_enabled?: boolean;
  enable_drawing: boolean;
  enable_task: boolean;
  /** `off`, `on` or `required`; a stored copy may lack it. */
  organizations?: string;
  provider_keys?: boolean;
  /** Whether people sign in at an MCP server; a stored copy may lack it. */
  mcp_sign_ins?: boolean;
  mj_notify_enabled: boolean;
  /** Name → link, in menu order; a stored copy may lack it. */
  chats?: readonly Readonly<Record<string, string>>[];
  data_export_default_time: string;
  register_enabled: boolean;
  invitation_required: boolean;
  username_max_length: number;
  password_max_length: number;
  password_register_enabled: boolean;
  password_login_enabled: boolean;
  email_verification: boolean;
  turnstile_check: boolean;
  turnstile_site_key: string;
  /** A stored copy may lack it. */
  turnstile_script?: string;
  github_oauth: boolean;
  oidc_enabled: boolean;
  linuxdo_oauth: boolean;
  discord_oauth: boolean;
  telegram_oauth: boolean;
  wechat_login: boolean;
  wechat_qrcode: string;
  wxpusher_enabled: boolean;
}>;

const isSiteStatus = (value: unknown): value is SiteStatus => typeof value === "object" && value !== null;

/** The site's status; until loaded, that of the last visit; undefined on a first visit. */
export const siteAtom = storedAtom(
  "status",
  jsonFormat((value) => (isSiteStatus(value) ? value : undefined)),
);
