import Box from "@mui/material/Box";
import Switch from "@mui/material/Switch";
import { ProviderGlyph } from "../../../components/display/provider/ProviderGlyph.tsx";
import { KeyPips } from "../../../components/display/StatusChip.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { Row } from "../../../components/layout.tsx";
import { type ListColumn, Quiet } from "../../../components/page/list/column-kinds.tsx";
import type { ListContext } from "../../../components/page/list/list-context.ts";
import { InlineNumber } from "../cells/InlineNumber.tsx";
import { BalanceCell, ChannelStatus, ModelsChanged, ResponseCell } from "../cells/status-cells.tsx";
import { HourCell, SuccessCell } from "../cells/traffic-cells.tsx";
import { type Channel, ENABLED, splitList } from "../channel.ts";
import { ModelListDialog } from "./ModelListDialog.tsx";
import type { ChannelData } from "./use-channel-data.tsx";

type Context = ListContext<ChannelData>;

const typeOf = ({ type }: Channel, { t, data }: Context) =>
  data.types.find(({ id }) => id === type)?.name ?? t("channels.form.typeUnknown", { type });

const number = (field: "priority" | "weight", width: number): ListColumn<Channel, ChannelData> => ({
  key: field,
  width,
  align: "right",
  sortKey: field,
  isSolid: true,
  cell: (channel, { t, data }) => (
    <InlineNumber
      field={field}
      value={channel[field]}
      label={t(field === "priority" ? "channels.editPriority" : "channels.editWeight", { name: channel.name })}
      onSave={(value) => data.actions.setNumber(channel, field, value)}
    />
  ),
});

/** The columns of channels. */
export const CHANNEL_COLUMNS: readonly ListColumn<Channel, ChannelData>[] = [
  { key: "id", width: 60, align: "right", sortKey: "id", cell: ({ id }) => <Quiet>{id}</Quiet> },
  {
    key: "name",
    isTitle: true,
    // So much of a name is not cut: the table rather scrolls.
    width: 260,
    sortKey: "name",
    // With its logo.
    fit: ({ name }) => `${name}mmm`,
    cell: (channel, context) => (
      <NameCell
        channel={channel}
        typeName={typeOf(channel, context)}
        onCompare={() => compareModels(channel, context)}
      />
    ),
  },
  {
    key: "status",
    width: 158,
    isSolid: true,
    cell: (channel, { t, data }) => (
      <Row gap={2.5}>
        <Box component="span" onClick={(event) => event.stopPropagation()} sx={{ display: "inline-flex" }}>
          <Switch
            checked={channel.status === ENABLED}
            onChange={() => data.actions.toggle(channel)}
            slotProps={{ input: { "aria-label": t("channels.toggle", { name: channel.name }) } }}
          />
        </Box>
        <ChannelStatus channel={channel} />
      </Row>
    ),
  },
  {
    key: "keys",
    width: 76,
    isSolid: true,
    cell: ({ keys }, { t }) => <KeyPips enabled={keys.enabled} total={keys.total} label={t("channels.keysOn", keys)} />,
  },
  { key: "groups", width: 132, isHiddenByDefault: true, cell: ({ group }) => <Tags names={splitList(group)} /> },
  {
    key: "tag",
    width: 84,
    fit: ({ tag }) => (tag ? `${tag}mm` : ""),
    isHiddenByDefault: ({ data }) => data.tags.length === 0,
    cell: ({ tag }) => <Tags names={tag ? [tag] : []} />,
  },
  number("priority", 88),
  number("weight", 72),
  {
    key: "response_time",
    head: "channels.columns.response",
    width: 86,
    align: "right",
    sortKey: "response_time",
    isSolid: true,
    cell: (channel) => <ResponseCell channel={channel} />,
  },
  { key: "success", width: 148, isSolid: true, cell: ({ traffic }) => <SuccessCell traffic={traffic} /> },
  { key: "hour", width: 172, isSolid: true, isHiddenByDefault: true, cell: ({ live }) => <HourCell live={live} /> },
  {
    key: "balance",
    width: 90,
    align: "right",
    sortKey: "balance",
    cell: (channel, { data }) => <BalanceCell channel={channel} days={data.forecast[channel.id]} />,
  },
  { key: "used_quota", head: "channels.columns.used", kind: "money", width: 98, sortKey: "used_quota" },
  { key: "created", kind: "time", of: "created_time", width: 112, isHiddenByDefault: true },
];

/** Opens the comparison of a channel's models with those that its provider has. */
export const compareModels = (channel: Channel, { open }: Context): void =>
  open((close) => <ModelListDialog channel={channel} onClose={close} />);

type NameCellProps = Readonly<{ channel: Channel; typeName: string; onCompare: (channel: Channel) => void }>;

const NameCell = ({ channel, typeName, onCompare }: NameCellProps) => (
  <Row gap={2.5}>
    <ProviderGlyph name={typeName} />
    <Box
      component="span"
      title={channel.name}
      sx={{
        fontWeight: 560,
        overflow: "hidden",
        textOverflow: "ellipsis",
        color: channel.status === ENABLED ? "text.primary" : "text.secondary",
      }}
    >
      {channel.name}
    </Box>
    <ModelsChanged channel={channel} onCompare={onCompare} />
  </Row>
);

const Tags = ({ names }: { names: readonly string[] }) => (
  <Row gap={1}>
    {names.map((name) => (
      <Tag key={name}>{name}</Tag>
    ))}
  </Row>
);
