const VERTEX_AI = 41;
/** Characters of a prefix of model names, a group and a tag; longer groups and tags would not fit into their index. */
export const CHANNEL_LIMITS = { prefix: 64, group: 64, tag: 200 } as const;

/** The lowest priority that a channel may be given. */
export const LOWEST_PRIORITY = -999;

/** What is wrong with a priority that somebody gives a channel; undefined: nothing. */
export const priorityError = (priority: number): "channel_priority_min" | undefined =>
  priority < LOWEST_PRIORITY ? "channel_priority_min" : undefined;

/** An address as it is stored: providers print those of WebSockets too (`wss://…`), whose calls go to the same host. */
export const plainAddress = (text: string): string =>
  text
    .trim()
    .replace(/\/+$/, "")
    .replace(/^ws(s?):\/\//i, (_, secure: string) => `http${secure.toLowerCase()}://`);

/** What is wrong with a base URL; undefined: nothing, or it is empty. */
export function baseUrlError(text: string): "channel_base_url_invalid" | undefined {
  const address = plainAddress(text);
  if (address === "") return undefined;
  return /^https?:$/.test(URL.parse(address)?.protocol ?? "") ? undefined : "channel_base_url_invalid";
}

/** What is wrong with the region of a channel of Vertex AI, a name or a JSON object by model; undefined: nothing. */
export function regionError(text: string, type: number): "channel_region_invalid" | undefined {
  const region = text.trim();
  // Without one it is `global`, the only one of express keys.
  if (type !== VERTEX_AI || region === "") return undefined;
  const byModel = region.startsWith("{") ? (parseObject(region) ?? {}) : { default: region };
  // A region is part of the host's name.
  const isValid = "default" in byModel && Object.values(byModel).every(isRegionName);
  return isValid ? undefined : "channel_region_invalid";
}

/** What is wrong with a model mapping, a JSON object of names; undefined: nothing, or it is empty. */
export const modelMappingError = (json: string): "channel_model_mapping_invalid" | undefined =>
  isObjectOf(json, (value) => typeof value === "string" && value !== "") ? undefined : "channel_model_mapping_invalid";

/** The names of a valid model mapping. */
export const mappedNames = (json: string): string[] => (json.trim() === "" ? [] : Object.keys(parseObject(json) ?? {}));

/** What is wrong with a status code mapping, a JSON object of HTTP statuses; undefined: nothing, or it is empty. */
export const statusMappingError = (json: string): "channel_status_mapping_invalid" | undefined =>
  isObjectOf(json, (to, from) => isStatus(from) && isStatus(to)) ? undefined : "channel_status_mapping_invalid";

/** What is wrong with a channel's settings as JSON; undefined: nothing, or they are empty. */
export const channelSettingError = (json: string): "channel_setting_invalid" | undefined =>
  isObjectOf(json) ? undefined : "channel_setting_invalid";

/** What is wrong with parameter overrides as JSON; undefined: nothing, or they are empty. */
export const paramOverrideError = (json: string): "channel_param_override_invalid" | undefined =>
  isObjectOf(json) ? undefined : "channel_param_override_invalid";

/** What is wrong with a channel's headers, a JSON object of texts; undefined: nothing, or there are none. */
export const headerOverrideError = (json: string): "channel_header_override_invalid" | undefined =>
  isObjectOf(json, (value) => typeof value === "string") ? undefined : "channel_header_override_invalid";

/** What is wrong with the balance below which to warn, in the provider's currency; undefined: nothing. */
export const channelAmountError = (amount: number): "channel_amount_invalid" | undefined =>
  Number.isFinite(amount) && amount >= 0 ? undefined : "channel_amount_invalid";

const isRegionName = (name: unknown): boolean => typeof name === "string" && /^[a-z0-9-]+$/.test(name);

const isStatus = (value: unknown): boolean => /^[1-5]\d\d$/.test(String(value));

/** Whether a text is empty or a JSON object whose members all pass. */
function isObjectOf(json: string, passes: (value: unknown, name: string) => boolean = () => true): boolean {
  if (json.trim() === "") return true;
  const object = parseObject(json);
  return object !== null && Object.entries(object).every(([name, value]) => passes(value, name));
}

function parseObject(json: string): object | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
