import { isChannelSetting, isChannelSettingValue } from "../../../domain/channels/manage/channel-settings.ts";
import { readOwnHeaders } from "../../../domain/channels/routing/overrides/own-headers.ts";
import { readOverrideRules } from "../../../domain/channels/routing/overrides/read-overrides.ts";
import { parseJson, recordOf } from "../../../formats/json.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Report } from "../report.ts";
import type { SourceRow } from "../source.ts";
import { integerIn, objectOf, textOf } from "../values.ts";

const KIND = "channels";
const VERTEX_AI = 41;
const ENABLED = 1;
const AUTO_DISABLED = 3;

/** A single key of a channel that is off at the source. */
export type KeyState = Readonly<{ key: string; status: 2 | 3; reason: string; statusTime: number }>;

/** Rows of channels: one with a list of service accounts becomes one for each, as such channels have one key here. */
export function splitServiceAccounts(row: SourceRow, type: number, report: Report): readonly SourceRow[] {
  const accounts = type === VERTEX_AI ? parseJson(textOf(row, "key")) : null;
  if (!Array.isArray(accounts)) return [row];
  const [id, name] = [integerIn(row, "id"), textOf(row, "name")];
  if (accounts.length > 1)
    report.remark(KIND, `#${id} ${name}: a channel for each of its ${accounts.length} service accounts`);
  const states = statesOf(row);
  return accounts.map((account, index) => ({
    ...row,
    ...(index > 0 && { id: -(id * accounts.length + index), name: `${name} ${index + 1}`, used_quota: 0 }),
    key: typeof account === "string" ? account : JSON.stringify(account),
    ...(states.has(index) && { status: states.get(index)?.status }),
    channel_info: "",
  }));
}

type State = Omit<KeyState, "key">;

/** What `channel_info` of new-api says of single keys that are off, by their place. */
function statesOf(row: SourceRow): ReadonlyMap<number, State> {
  const info = objectOf(row, "channel_info");
  if (info.is_multi_key !== true) return new Map();
  const [statuses, reasons, times] = [
    info.multi_key_status_list,
    info.multi_key_disabled_reason,
    info.multi_key_disabled_time,
  ].map((value) => recordOf(value) ?? {});
  const off = Object.entries(statuses ?? {}).filter(([, status]) => status !== ENABLED);
  return new Map(
    off.map(([place, status]) => [
      Number(place),
      {
        status: status === AUTO_DISABLED ? AUTO_DISABLED : 2,
        reason: typeof reasons?.[place] === "string" ? String(reasons[place]) : "",
        statusTime: Number(times?.[place]) || 0,
      },
    ]),
  );
}

/** The keys of a channel that are off at the source; keys stand in lines there. */
export function keyStatesOf(row: SourceRow): readonly KeyState[] {
  const states = statesOf(row);
  if (states.size === 0) return [];
  const keys = textOf(row, "key").split("\n");
  return [...states].flatMap(([place, state]) => {
    const key = keys[place]?.trim();
    return key ? [{ key, ...state }] : [];
  });
}

/**
 * A channel's settings (JSON) with the members that mean something here; `isSafe` false: calls would go another way than at the
 * source, such as past its proxy.
 */
export function settingsOf(row: SourceRow, report: Report): Readonly<{ setting: string; isSafe: boolean }> {
  const label = `#${integerIn(row, "id")} ${textOf(row, "name")}`;
  const prompt = textOf(row, "system_prompt");
  const { is_multi_key: hasKeys, multi_key_mode: mode } = objectOf(row, "channel_info");
  const text = textOf(row, "setting");
  const own = recordOf(parseJson(text || "{}"));
  if (!own) report.remark(KIND, `${label}: its settings are no JSON object and are left out`);
  const members: Record<string, unknown> = {
    ...own,
    ...(prompt && { system_prompt: prompt, system_prompt_override: true }),
    ...(hasKeys === true && mode === "random" && { multi_key_mode: "random" }),
  };
  let isSafe = true;
  for (const [name, value] of Object.entries(members)) {
    if (isChannelSetting(name) && isChannelSettingValue(name, value)) continue;
    delete members[name];
    if (isEmpty(value)) continue;
    if (name.toLowerCase() === "proxy") isSafe = false;
    report.remark(KIND, `${label}: its setting ${name} has no counterpart and is left out`);
  }
  if (!isSafe) report.remark(KIND, `${label}: disabled, its proxy makes no sense here`);
  return { setting: Object.keys(members).length === 0 ? "" : JSON.stringify(members), isSafe };
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === "" ||
  value === false ||
  value === 0 ||
  (typeof value === "object" && Object.keys(value).length === 0);

/** What a channel changes in its requests, as JSON. */
type Overrides = Readonly<{ param_override: string; header_override: string }>;

/**
 * The overrides and headers of a channel. Operations and headers that have no counterpart are left out and reported: nothing of
 * them goes to the upstream as a member of the body.
 */
export function overridesOf(row: SourceRow, report: Report): Overrides {
  const label = `#${integerIn(row, "id")} ${textOf(row, "name")}`;
  const text = textOf(row, "param_override");
  const { operations, ...members } = recordOf(parseJson(text || "{}")) ?? {};
  const headers: Record<string, unknown> = objectOf(row, "header_override");
  const listed: readonly unknown[] = Array.isArray(operations) ? operations : [];
  const rules = listed.filter((operation, index) => {
    const asHeaders = headersIn(operation);
    if (asHeaders) Object.assign(headers, asHeaders);
    else if (isAccepted(() => readOverrideRules({ operations: [operation] }))) return true;
    else if (isPlainSet(operation)) members[String(operation.path)] = operation.value;
    else
      report.remark(
        KIND,
        `${label}: its operation ${index + 1} (${modeOf(operation)}) has no counterpart and is left out`,
      );
    return false;
  });
  for (const [name, value] of Object.entries(headers)) {
    if (isAccepted(() => readOwnHeaders({ [name]: value }))) continue;
    delete headers[name];
    report.remark(KIND, `${label}: its header ${name} has no counterpart and is left out`);
  }
  return {
    param_override:
      operations === undefined ? text : jsonOf({ ...members, ...(rules.length > 0 && { operations: rules }) }),
    header_override: jsonOf(headers),
  };
}

/** Whether an operation always sets a member of the body: that may be one by which calls are priced. */
const isPlainSet = (operation: unknown): operation is Readonly<{ path: string; value: unknown }> => {
  const { mode, path, value, keep_origin: keepsOrigin, conditions } = recordOf(operation) ?? {};
  const isAlways = keepsOrigin !== true && (!Array.isArray(conditions) || conditions.length === 0);
  return mode === "set" && isAlways && typeof path === "string" && /^\w+$/.test(path) && value !== undefined;
};

const jsonOf = (members: Readonly<Record<string, unknown>>): string =>
  Object.keys(members).length === 0 ? "" : JSON.stringify(members);

const modeOf = (operation: unknown): string => String(recordOf(operation)?.mode ?? "without a mode");

/** new-api's operations on headers that always apply, as headers of the channel; null: it is none. */
function headersIn(operation: unknown): Record<string, unknown> | null {
  const { mode, path, value, conditions } = recordOf(operation) ?? {};
  if (Array.isArray(conditions) && conditions.length > 0) return null;
  if (mode === "set_header" && typeof path === "string" && typeof value === "string") return { [path]: value };
  if (mode !== "pass_headers") return null;
  const names = Array.isArray(value) ? value : recordOf(value)?.names;
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) return null;
  return Object.fromEntries(names.map((name) => [name, `{client_header:${name}}`]));
}

function isAccepted(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof OperationError) return false;
    throw error;
  }
}
