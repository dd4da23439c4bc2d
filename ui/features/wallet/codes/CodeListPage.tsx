import Block from "@mui/icons-material/BlockOutlined";
import Copy from "@mui/icons-material/ContentCopyOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import People from "@mui/icons-material/PeopleOutlineOutlined";
import Ticket from "@mui/icons-material/RedeemOutlined";
import Box from "@mui/material/Box";
import type { ReactNode } from "react";
import { readData, requestDownload } from "../../../api/client.ts";
import { eachOf } from "../../../api/each-of.ts";
import { redemptionApi } from "../../../api/groups.ts";
import { CopyButton, copyText, ManualCopyDialog } from "../../../components/display/CopyButton.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { notifyDone, notifyError, notifyInfo } from "../../../components/feedback/notify.tsx";
import { Row } from "../../../components/layout.tsx";
import { Quiet, StateChip, type Status } from "../../../components/page/list/column-kinds.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { ListContext } from "../../../components/page/list/list-context.ts";
import type { FilterValues, ResourceList } from "../../../components/page/list/resource-list.ts";
import { deleting, editing, switching } from "../../../components/page/list/standard-actions.tsx";
import { oneOf } from "../../../state/search-text.ts";
import { CodeDrawer } from "./CodeDrawer.tsx";
import { CODES_KEY, type Code, DISABLED, isSpent, UNLIMITED, UNUSED, USED, windowState } from "./code.ts";
import { CodeUsesDialog, CreatedCodes, DeleteByNameDialog } from "./code-dialogs.tsx";
import { deleteCode, deleteDisabledCodes, disableCodes, setCodeStatus } from "./code-form.ts";

type Context = ListContext<undefined>;

const queryOf = ({ text, number }: FilterValues) => ({
  keyword: text("search") || undefined,
  status: number("status"),
  type: oneOf(text("type"), ["code", "gift"]),
});

/** Redemption codes and gift codes. */
export const CODES: ResourceList<Code, ReturnType<typeof queryOf>> = {
  text: (name) => `codes.${name}`,
  icon: Ticket,
  rows: {
    key: CODES_KEY,
    read: (query, signal) => readData(redemptionApi.get({ query, fetch: { signal } })),
    defaultSort: "created_time",
    isPageInAddress: true,
  },
  query: queryOf,
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  unit: "codes.unit",
  columns: [
    { key: "id", sortKey: "id", width: 64, isHiddenByDefault: true, cell: ({ id }) => <Quiet>{id}</Quiet> },
    { key: "name", sortKey: "name", isTitle: true, cell: nameOf },
    { key: "key", width: 172, isSolid: true, cell: keyOf },
    { key: "status", kind: "status", sortKey: "status", width: 132, of: statusOf },
    { key: "quota", sortKey: "quota", width: 104, align: "right", cell: worthOf },
    { key: "uses", kind: "text", sortKey: "used_count", width: 96, align: "right", of: usesOf },
    { key: "usedBy", width: 132, cell: userOf },
    { key: "redeemed", kind: "time", of: "redeemed_time", none: "–", sortKey: "redeemed_time", width: 104 },
    {
      ...{ key: "from", kind: "time", of: "valid_from", none: "codes.atOnce", sortKey: "valid_from", width: 104 },
      isHiddenByDefault: true,
    },
    { key: "until", kind: "time", of: "valid_until", none: "codes.never", sortKey: "valid_until", width: 104 },
    { key: "created", kind: "time", of: "created_time", sortKey: "created_time", width: 104 },
  ],
  search: "codes.filters.search",
  filters: [
    {
      key: "status",
      options: [
        [String(UNUSED), "codes.status.unused"],
        [String(DISABLED), "codes.status.disabled"],
        [String(USED), "codes.status.used"],
      ],
    },
    {
      key: "type",
      options: [
        ["code", "codes.ordinary"],
        ["gift", "codes.gift"],
      ],
    },
  ],
  add: {
    name: "add",
    short: "codes.addShort",
    inAddress: "add",
    needs: "billing:write",
    open: (_, close, { open }) => (
      <CodeDrawer
        code={null}
        onClose={close}
        onCreated={(created) => open((closeCreated) => <CreatedCodes {...created} onClose={closeCreated} />)}
      />
    ),
  },
  tools: [
    {
      name: "byName.open",
      needs: "billing:write",
      open: (_, close, { reload }) => <DeleteByNameDialog onClose={close} onDeleted={reload} />,
    },
    { name: "deleteDisabled", needs: "billing:write", run: (_, context) => deleteDisabled(context) },
  ],
  download: { request: (query) => requestDownload(redemptionApi.export, query) },
  actions: [
    { name: "copy", icon: Copy, run: (code, context) => copy([code], context) },
    { name: "uses.open", icon: People, open: (code, close) => <CodeUsesDialog code={code} onClose={close} /> },
    editing((code, close) => <CodeDrawer code={code} onClose={close} onCreated={() => {}} />, {
      needs: "billing:write",
      isDisabled: ({ status }) => status !== UNUSED,
    }),
    ...switching<Code>({
      needs: "billing:write",
      isOn: ({ status }) => status === UNUSED,
      isDisabled: ({ status }) => status === USED,
      work: ({ id }, isOn) => setCodeStatus(id, isOn ? UNUSED : DISABLED),
      done: { on: "codes.enabledToast", off: "codes.disabledToast" },
    }),
    deleting((code) => deleteCodes([code]), "codes.deletedCount", {
      needs: "billing:write",
      ask: { body: "codes.deleteBody", action: "codes.batch.delete" },
    }),
  ],
  bulk: [
    { name: "batch.copy", icon: Copy, run: ({ rows }, context) => copy(rows, context) },
    {
      name: "batch.disable",
      icon: Block,
      needs: "billing:write",
      ask: { body: "codes.batch.disableBody" },
      work: async ({ rows }) => ({ count: await disableCodes(rows.map(({ id }) => id)) }),
      done: "codes.disabledCount",
    },
    {
      name: "batch.delete",
      icon: Delete,
      needs: "billing:write",
      isDangerous: true,
      ask: { body: "codes.deleteBody" },
      work: ({ rows }) => deleteCodes(rows),
      done: "codes.deletedCount",
    },
  ],
  onRow: ["edit", "uses.open"],
  emptyFiltered: { title: "codes.empty.filteredTitle", body: "codes.empty.filteredBody" },
  isDim: isSpent,
  card: (code) => (
    <Row sx={{ justifyContent: "space-between" }}>
      <StateChip of={statusOf(code)} />
      {worthOf(code)}
    </Row>
  ),
  remembers: { as: "codes", columns: "choice", views: true },
};

/** Resolves with how many were deleted. */
async function deleteCodes(codes: readonly Code[]) {
  const { done, firstError } = await eachOf(codes, ({ id }) => deleteCode(id));
  if (firstError) throw firstError;
  return { count: done };
}

async function deleteDisabled({ t, act }: Context) {
  // The server deletes all of them, so they are counted now and without the list's filter.
  const counted = readData(redemptionApi.get({ query: { status: DISABLED, p: 1, page_size: 1 } }));
  const { total: count } = await counted.catch((error) => {
    notifyError(error);
    return { total: null };
  });
  if (count === 0) notifyInfo(t("codes.noneDisabled"));
  else if (count !== null)
    await act({
      question: {
        title: t("codes.deleteDisabledTitle", { count }),
        body: t("codes.deleteBody"),
        action: t("codes.batch.delete", { count }),
        isDangerous: true,
      },
      work: deleteDisabledCodes,
      done: (deleted) => t("codes.deletedCount", { count: deleted }),
    });
}

async function copy(codes: readonly Code[], { t, open }: Context) {
  const text = codes.map(({ key }) => key).join("\n");
  if (await copyText(text)) notifyDone(t("codes.copied", { count: codes.length }));
  else open((close) => <ManualCopyDialog text={text} onClose={close} />);
}

function nameOf({ name, is_gift }: Code, { t }: Context) {
  return (
    <Row gap={2}>
      <Box component="span" title={name} sx={{ fontWeight: 560, overflow: "hidden", textOverflow: "ellipsis" }}>
        {name}
      </Box>
      {is_gift && <Tag>{t("codes.gift")}</Tag>}
    </Row>
  );
}

function keyOf({ key, name }: Code, { t }: Context) {
  return (
    <Row gap={1}>
      <Box component="code" title={key} sx={{ fontSize: 12 }}>
        {key.length > 14 ? `${key.slice(0, 7)}…${key.slice(-4)}` : key}
      </Box>
      <Box component="span" onClick={(event) => event.stopPropagation()}>
        <CopyButton text={key} label={t("codes.copyOne", { name })} />
      </Box>
    </Row>
  );
}

/** A plan for one period, or quota. */
function worthOf({ plan_name: plan, quota }: Code): ReactNode {
  return plan ?? <Money quota={quota} />;
}

function usesOf({ is_gift, used_count, max_uses, status }: Code): string {
  if (!is_gift) return `${status === USED ? 1 : 0} / 1`;
  return `${used_count} / ${max_uses === UNLIMITED ? "∞" : max_uses}`;
}

function userOf({ is_gift, used_user_id, used_username }: Code, { t }: Context): ReactNode {
  return used_user_id ? `${used_username} (#${used_user_id})` : <Quiet>{is_gift ? "–" : t("codes.nobody")}</Quiet>;
}

/** Whether a code can be redeemed, and if not, why. */
function statusOf(code: Code): Status {
  if (code.status === DISABLED) return { tone: "bad", text: "codes.status.disabled" };
  if (code.status !== UNUSED || isSpent(code))
    return { tone: "idle", text: code.is_gift ? "codes.status.usedUp" : "codes.status.used" };
  const state = windowState(code, Date.now() / 1000);
  if (state !== "open") return { tone: "warn", text: `codes.status.${state}` };
  return { tone: "ok", text: "codes.status.unused", quiet: true };
}

/** The page of redemption codes. */
export const RedemptionListPage = () => <ListPage list={CODES} />;
