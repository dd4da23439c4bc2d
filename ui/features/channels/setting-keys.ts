/** What a channel's settings may hold, each with a value to begin with. */
const BEGINNINGS = {
  proxy: "socks5://user:password@proxy.example:1080",
  user_agent: "MyCompany/1.0",
  force_format: true,
  thinking_to_content: true,
  pass_through_body_enabled: true,
  system_prompt: "",
  system_prompt_override: true,
  stream_support: "NON_STREAM_ONLY",
  message_threads: true,
  broken_stream: "drain",
  drain_cap_seconds: 60,
  first_byte_timeout_seconds: 30,
  multi_key_mode: "random",
} as const;

type SettingKey = keyof typeof BEGINNINGS;
export const SETTING_KEYS = Object.keys(BEGINNINGS) as SettingKey[];

/** The settings with one more key; null when it stands there already, or the text is no JSON object. */
export function addSetting(json: string, key: SettingKey): string | null {
  try {
    const present: unknown = json.trim() === "" ? {} : JSON.parse(json);
    if (typeof present !== "object" || present === null || Array.isArray(present) || key in present) return null;
    return JSON.stringify({ ...present, [key]: BEGINNINGS[key] }, null, 2);
  } catch {
    return null;
  }
}
