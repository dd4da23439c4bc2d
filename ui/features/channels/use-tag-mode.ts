import { useAtom } from "jotai";
import { useMemo, useState } from "react";
import type { Selected, Selection } from "../../components/data-table/column.ts";
import { SWITCH_FORMAT, storedAtom } from "../../stored-atom.ts";
import type { Channel } from "./channel.ts";
import { groupByTag, type ListRow, selectedChannels, type TagRow, unfold, withTags } from "./tag-rows.ts";

const byTagAtom = storedAtom("channel-tag-mode", SWITCH_FORMAT);

/** Tags instead of channels, of which any can be opened; whether the list is so is remembered on this device. */
export function useTagMode() {
  const [byTag, setByTag] = useAtom(byTagAtom);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set());
  return {
    byTag,
    setByTag,
    open,
    toggle: ({ tag }: TagRow) =>
      setOpen((now) => {
        const next = new Set(now);
        if (!next.delete(tag)) next.add(tag);
        return next;
      }),
  };
}

/** The rows of a page, and the ticks on them, which are kept as ids of channels. */
export function useListRows(
  channels: readonly Channel[] | undefined,
  byTag: boolean,
  open: ReadonlySet<string>,
  selected: Selected,
  onSelect: (selected: Selected) => void,
): { rows: readonly ListRow[] | undefined; selection: Selection } {
  const tags = useMemo(() => (byTag && channels ? groupByTag(channels) : []), [byTag, channels]);
  const rows = useMemo(() => (byTag ? channels && unfold(tags, open) : channels), [byTag, channels, tags, open]);
  const ticked = withTags(selected, tags);
  return { rows, selection: { selected: ticked, onChange: (next) => onSelect(selectedChannels(ticked, next, tags)) } };
}
