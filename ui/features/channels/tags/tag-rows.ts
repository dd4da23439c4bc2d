import { type RowId, type Selected, selectedIds, selectRows } from "../../../components/data-table/column.ts";
import { SWITCH_FORMAT, storedAtom } from "../../../state/stored-atom.ts";
import type { Channel } from "../channel.ts";

/** All channels of one tag, as one row. */
export type TagRow = Readonly<{ tag: string; channels: readonly Channel[] }>;

/** The rows of the list: in tag mode, tags, with the channels of expanded tags below. */
export type ListRow = Channel | TagRow;

export const isTagRow = (row: ListRow): row is TagRow => "channels" in row;

/** Channel ids are numbers, so tag ids can't collide with them. */
const TAG_PREFIX = "tag:";
export const rowIdOf = (row: ListRow): RowId => (isTagRow(row) ? `${TAG_PREFIX}${row.tag}` : row.id);

export const rowNameOf = (row: ListRow): string => (isTagRow(row) ? row.tag : row.name);

/** Groups channels by tag, in the order of the tags. */
export const groupByTag = (channels: readonly Channel[]): TagRow[] =>
  [...Map.groupBy(channels, ({ tag }) => tag)].map(([tag, members]) => ({ tag, channels: members }));

/** The rows of tag mode: tags, then the channels that have none. */
export const rowsByTag = (channels: readonly Channel[], open: ReadonlySet<string>): ListRow[] => [
  ...unfold(groupByTag(channels.filter(({ tag }) => tag !== "")), open),
  ...channels.filter(({ tag }) => tag === ""),
];

/** The tags, each expanded one followed by its channels. */
export const unfold = (tags: readonly TagRow[], open: ReadonlySet<string>): ListRow[] =>
  tags.flatMap((row) => (open.has(row.tag) ? [row, ...row.channels] : [row]));

/** What all channels of a tag have in common; null where they differ. */
export function common({ channels }: TagRow, field: "priority" | "weight"): number | null {
  const [first, ...others] = channels.map((channel) => channel[field]);
  return first !== undefined && others.every((value) => value === first) ? first : null;
}

/** Calls and failures of a tag's channels, hour by hour; undefined when there were none. */
export function trafficOf({ channels }: TagRow): Channel["traffic"] {
  const all = channels.flatMap(({ traffic }) => (traffic ? [traffic] : []));
  return all[0]?.map((_, hour) =>
    all.reduce(
      (sum, hours) => ({
        count: sum.count + (hours[hour]?.count ?? 0),
        failed: sum.failed + (hours[hour]?.failed ?? 0),
      }),
      { count: 0, failed: 0 },
    ),
  );
}

/** The selection: a tag is selected if all its channels are. */
export function withTags(selected: Selected, tags: readonly TagRow[]): Selected {
  const complete = tags.filter(({ channels }) => channels.every(({ id }) => selected[id]));
  return { ...selected, ...selectRows(complete.map(rowIdOf)) };
}

/** The channels that are selected after a change; selecting a tag selects its channels. */
export function selectedChannels(before: Selected, after: Selected, tags: readonly TagRow[]): Selected {
  const channels = new Set(selectedIds(after).filter((id) => !id.startsWith(TAG_PREFIX)));
  for (const row of tags) {
    const id = rowIdOf(row);
    if (before[id] === after[id]) continue;
    for (const channel of row.channels) {
      if (after[id]) channels.add(String(channel.id));
      else channels.delete(String(channel.id));
    }
  }
  return selectRows(channels);
}

/** Tag mode: tags instead of channels; this device remembers it. */
export const byTagAtom = storedAtom("channel-tag-mode", SWITCH_FORMAT);
