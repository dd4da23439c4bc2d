import Wallet from "@mui/icons-material/AccountBalanceWalletOutlined";
import Bolt from "@mui/icons-material/BoltOutlined";
import Build from "@mui/icons-material/BuildOutlined";
import Copy from "@mui/icons-material/ContentCopyOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Models from "@mui/icons-material/DifferenceOutlined";
import DoneAll from "@mui/icons-material/DoneAllOutlined";
import Download from "@mui/icons-material/DownloadOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Hub from "@mui/icons-material/HubOutlined";
import Tag from "@mui/icons-material/LocalOfferOutlined";
import Pause from "@mui/icons-material/PauseOutlined";
import Play from "@mui/icons-material/PlayArrowOutlined";
import Sync from "@mui/icons-material/SyncOutlined";
import Tune from "@mui/icons-material/TuneOutlined";
import Upload from "@mui/icons-material/UploadOutlined";
import Box from "@mui/material/Box";
import { CHANNELS_KEY } from "../../../api/channels/channel-lists.ts";
import { notifyError, notifyInfo } from "../../../components/feedback/notify.tsx";
import { FileInput } from "../../../components/form/FileInput.tsx";
import { cellOf, type ListColumn } from "../../../components/page/list/column-kinds.tsx";
import { actionsOn } from "../../../components/page/list/list-actions.ts";
import type { ListContext } from "../../../components/page/list/list-context.ts";
import type { ListAction, ListFilter, Picked, ResourceList } from "../../../components/page/list/resource-list.ts";
import { deleting } from "../../../components/page/list/standard-actions.tsx";
import { type Channel, DISABLED, ENABLED } from "../channel.ts";
import {
  deleteChannel,
  deleteChannels,
  deleteDisabledChannels,
  findChannelIds,
  fixChannels,
  setChannelsStatus,
  updateBalances,
} from "../channel-calls.ts";
import { CHANNEL_HEALTHS, type ChannelQuery } from "../channel-queries.ts";
import { OverridesDialog } from "../drawer/overrides/OverridesDialog.tsx";
import { TestDialog } from "../health/TestDialog.tsx";
import { TagDrawer } from "../tags/TagDrawer.tsx";
import { TagCard, tagCell } from "../tags/tag-cells.tsx";
import {
  isTagRow,
  type ListRow,
  rowIdOf,
  rowNameOf,
  selectedChannels,
  type TagRow,
  withTags,
} from "../tags/tag-rows.ts";
import { ChannelCard } from "./ChannelCard.tsx";
import { CHANNEL_COLUMNS, compareModels } from "./channel-columns.tsx";
import { ListSwitches, StatusSegments } from "./ListView.tsx";
import { TagDialog } from "./TagDialog.tsx";
import { TestAllBar } from "./TestAllBar.tsx";
import { ExportDialog } from "./transfer/ExportDialog.tsx";
import { openImport } from "./transfer/ImportDrawer.tsx";
import { type ChannelData, useChannelData } from "./use-channel-data.tsx";

type Context = ListContext<ChannelData>;

const text = (name: string) => `channels.${name}`;

/** A column of channels in a list that may have tags, too, whose rows aggregate their channels. */
const ofBoth = (column: ListColumn<Channel, ChannelData>): ListColumn<ListRow, ChannelData> => {
  const { key, isTitle, kind, fit, head, width, align, sortKey, isSolid, isHiddenByDefault } = column;
  return {
    ...{ key, isTitle, head, width, sortKey, isSolid, isHiddenByDefault },
    align: align ?? (kind === "money" ? "right" : undefined),
    fit: fit && ((row, context) => (isTagRow(row) ? row.tag : fit(row, context))),
    cell(row, context) {
      const { open, tagActions } = context.data;
      if (isTagRow(row)) return <>{tagCell(key, row, tagActions, open.has(row.tag), context.t)}</>;
      const cell = cellOf(column, row, context);
      // The channels of an expanded tag are indented.
      return isTitle && open.has(row.tag) ? <Box sx={{ pl: 6 }}>{cell}</Box> : cell;
    },
  };
};

const COLUMNS = CHANNEL_COLUMNS.map(ofBoth);

const named = (names: readonly string[]) => names.map((name) => ({ value: name, label: name }));

const FILTERS: readonly ListFilter<ChannelData>[] = [
  { key: "model", options: ({ models }) => named(models) },
  { key: "group", options: ({ groups }) => named(groups) },
  { key: "type", options: ({ types }) => types.map(({ id, name }) => ({ value: String(id), label: name })) },
  { key: "tag", options: ({ tags }) => named(tags) },
  { key: "health", options: CHANNEL_HEALTHS.map((health) => [health, `channels.health.${health}`] as const) },
  // Shown as segments.
  { key: "status", isShown: () => false },
];

const CHANNEL_ACTIONS: readonly ListAction<Channel, ChannelData>[] = [
  { name: "test.action", icon: Bolt, open: (channel, close) => <TestDialog channel={channel} onClose={close} /> },
  { name: "edit", icon: Edit, run: ({ id }, { data }) => data.edit(id) },
  { name: "updateBalance", icon: Wallet, run: (channel, { data }) => data.actions.updateBalance(channel) },
  { name: "modelList.action", icon: Models, run: compareModels },
  { name: "copy", icon: Copy, run: (channel, { data }) => data.actions.duplicate(channel) },
  deleting(({ id }) => deleteChannel(id), "channels.deleted"),
];

const TAG_ACTIONS: readonly ListAction<TagRow, ChannelData>[] = [
  { name: "tags.edit", icon: Edit, open: (row, close) => <TagDrawer row={row} onClose={close} /> },
  { name: "tags.enable", icon: Play, run: (row, { data }) => data.tagActions.setStatus(row, true) },
  { name: "tags.disable", icon: Pause, run: (row, { data }) => data.tagActions.setStatus(row, false) },
];

const numbersOf = ({ ids }: Picked<ListRow>) => ids.map(Number);

const allText = ({ t, data: { total, tagCount } }: Context) =>
  tagCount === null
    ? t("channels.batch.selectAll", { total })
    : t("channels.batch.selectTags", {
        tags: t("channels.batch.tags", { count: tagCount }),
        channels: t("channels.tags.count", { count: total }),
      });

const BATCH_ACTIONS: readonly ListAction<Picked<ListRow>, ChannelData>[] = [
  {
    name: "batch.selectAll",
    label: allText,
    icon: DoneAll,
    isShown: ({ ids }, { data }) => ids.length < data.total,
    run: (_, { data, select }) => findChannelIds(data.query).then(select, notifyError),
  },
  ...([ENABLED, DISABLED] as const).map((status) => ({
    name: status === ENABLED ? "enable" : "disable",
    icon: status === ENABLED ? Play : Pause,
    work: async (picked: Picked<ListRow>) => ({ count: await setChannelsStatus(numbersOf(picked), status) }),
    done: status === ENABLED ? "channels.batch.enabled" : "channels.batch.disabled",
  })),
  {
    name: "batch.setTag",
    icon: Tag,
    open: (picked, close, { select }) => <TagDialog ids={numbersOf(picked)} onSet={() => select([])} onClose={close} />,
  },
  {
    name: "overrides.set",
    icon: Tune,
    open: (picked, close, { select }) => (
      <OverridesDialog ids={numbersOf(picked)} onSet={() => select([])} onClose={close} />
    ),
  },
  {
    name: "transfer.export",
    icon: Download,
    open: (picked, close) => <ExportDialog ids={numbersOf(picked)} onClose={close} />,
  },
  {
    name: "batch.delete",
    icon: Delete,
    isDangerous: true,
    ask: true,
    work: async (picked) => ({ count: await deleteChannels(numbersOf(picked)) }),
    done: "channels.batch.deleted",
  },
];

const TOOLS: readonly ListAction<null, ChannelData>[] = [
  {
    name: "updateBalances",
    icon: Sync,
    work(_, { t }) {
      notifyInfo(t("channels.balancesUpdating"));
      return updateBalances();
    },
    done: "channels.balancesUpdated",
  },
  {
    name: "test.allTitle",
    icon: Bolt,
    isBusy: ({ data }) => data.testAll.progress !== undefined,
    run: (_, { data }) => data.testAll.start(),
  },
];

const RARE_TOOLS: readonly ListAction<null, ChannelData>[] = [
  {
    name: "transfer.export",
    icon: Download,
    isDisabled: (_, { data }) => (data.allCounts?.all ?? 0) === 0,
    open: (_, close) => <ExportDialog ids={undefined} onClose={close} />,
  },
  { name: "transfer.import", icon: Upload, run: (_, { data }) => data.file.current?.click() },
  {
    name: "upkeep.fix",
    icon: Build,
    ask: { title: "channels.upkeep.fixTitle", body: "channels.upkeep.fixBody", action: "channels.upkeep.fixAction" },
    work: async () => ({ count: await fixChannels() }),
    done: "channels.upkeep.fixed",
  },
  {
    name: "upkeep.deleteDisabled",
    icon: Delete,
    isDisabled: (_, { data }) => (data.allCounts?.disabled ?? 0) + (data.allCounts?.auto_disabled ?? 0) === 0,
    run: (_, context) => deleteDisabled(context).catch(notifyError),
  },
];

async function deleteDisabled({ t, data, act }: Context) {
  // The server deletes all of them, so count them now and without the list's filter.
  const { disabled, auto_disabled: autoDisabled } = await data.readCounts();
  const count = disabled + autoDisabled;
  await act({
    question: {
      title: t("channels.upkeep.deleteDisabledTitle", { count }),
      body: t("channels.upkeep.deleteDisabledBody"),
      action: t("channels.batch.delete", { count }),
      isDangerous: true,
    },
    work: deleteDisabledChannels,
    done: (deleted) => t("channels.batch.deleted", { count: deleted }),
  });
}

/** The channels, or their tags with the channels of those that are expanded. */
export const channelsOf = ({
  byTag,
  idSort,
}: Readonly<{ byTag: boolean; idSort: boolean }>): ResourceList<ListRow, ChannelQuery, ChannelData> => ({
  text,
  icon: Hub,
  rows: { of: ({ page }) => page, defaultSort: idSort ? "id" : "priority" },
  query: (_, { data }) => data.query,
  rowId: rowIdOf,
  rowName: rowNameOf,
  unit: byTag ? "channels.tagUnit" : "channels.unit",
  columns: byTag ? COLUMNS.filter(({ key }) => key !== "tag") : COLUMNS,
  feet: ({ data }) => data.sums,
  search: "channels.filters.search",
  filters: FILTERS,
  pinned: (_, { address, data }) => (
    <StatusSegments
      value={address.text("status")}
      counts={data.counts}
      onChange={(status) => address.set({ status, p: undefined })}
    />
  ),
  filterTools: (_, { address }) => <ListSwitches address={address} />,
  add: { name: "add", short: "channels.addShort", run: (_, { data }) => data.add() },
  tools: TOOLS,
  more: RARE_TOOLS,
  actions: [
    {
      name: "actions",
      several: (row, context) =>
        isTagRow(row)
          ? actionsOn(TAG_ACTIONS, row, text, context, { name: row.tag })
          : actionsOn(CHANNEL_ACTIONS, row, text, context, { name: row.name }),
    },
  ],
  bulk: BATCH_ACTIONS,
  isSelectionLasting: true,
  selection: {
    shown: (selected, rows) => withTags(selected, rows.filter(isTagRow)),
    changed: (shown, next, rows) => selectedChannels(shown, next, rows.filter(isTagRow)),
    label: "channels.batch.selected",
  },
  onRow: { run: (row, { data }) => (isTagRow(row) ? data.toggle(row) : data.edit(row.id)) },
  ...(byTag && { empty: { title: "channels.tags.none", body: "channels.tags.noneBody", action: null } }),
  emptyFiltered: { title: "channels.empty.filteredTitle", body: "channels.empty.filteredBody" },
  isDim: (row) => !isTagRow(row) && row.status === DISABLED,
  card: (row, { data }) =>
    isTagRow(row) ? (
      <TagCard row={row} actions={data.tagActions} isOpen={data.open.has(row.tag)} onToggle={() => data.toggle(row)} />
    ) : (
      <ChannelCard channel={row} actions={data.actions} />
    ),
  above: ({ data: { testAll } }) =>
    testAll.progress && <TestAllBar progress={testAll.progress} onCancel={testAll.cancel} />,
  below: (_, context) => (
    <FileInput
      input={context.data.file}
      label={context.t("channels.transfer.import")}
      onFile={(file) => openImport(file, context)}
    />
  ),
  remembers: { as: "channels", columns: "choice", views: true },
  reload: [{ queryKey: CHANNELS_KEY }],
  useData: useChannelData,
});
