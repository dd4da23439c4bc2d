import { isChannelSetting, isChannelSettingValue } from "../../../domain/channels/manage/channel-settings.ts";
import { parseJson, recordOf } from "../../../formats/json.ts";
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

/** Overrides of a channel (JSON); operations, which would go to the upstream as a member of that name, are left out. */
export function overridesOf(row: SourceRow, report: Report): string {
  const text = textOf(row, "param_override");
  const label = `#${integerIn(row, "id")} ${textOf(row, "name")}`;
  const { operations, ...members } = recordOf(parseJson(text || "{}")) ?? {};
  if (operations === undefined) return text;
  report.remark(KIND, `${label}: its operations on parameters are left out`);
  return Object.keys(members).length === 0 ? "" : JSON.stringify(members);
}
