import Rotate from "@mui/icons-material/CachedOutlined";
import Copy from "@mui/icons-material/ContentCopyOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Key from "@mui/icons-material/KeyOutlined";
import Box from "@mui/material/Box";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { type Member, members } from "../../api/accounts/organization-calls.ts";
import { useActing, useOrganizationOptions } from "../../api/accounts/use-organization.ts";
import {
  type ApiKeyPage,
  DISABLED,
  ENABLED,
  EXHAUSTED,
  EXPIRED,
  effectiveStatus,
  fullKey,
  readTokens,
  TOKENS_KEY,
  type Token,
  usableGroups,
} from "../../api/api-keys/api-key.ts";
import { eachOf } from "../../api/each-of.ts";
import { changePages } from "../../api/replace-data.ts";
import type { RowAction } from "../../components/data-table/column.ts";
import { copyText, ManualCopyDialog } from "../../components/display/CopyButton.tsx";
import { Money } from "../../components/display/Money.tsx";
import { GroupTag } from "../../components/display/Tag.tsx";
import { notifyDone } from "../../components/feedback/notify.tsx";
import { Quiet } from "../../components/page/list/column-kinds.tsx";
import type { ListContext } from "../../components/page/list/list-context.ts";
import type { FilterValues, ResourceList } from "../../components/page/list/resource-list.ts";
import { deleting, editing } from "../../components/page/list/standard-actions.tsx";
import { useKeyChats } from "../playground/links/chat-links.tsx";
import { Listed, QuotaCell, SwitchCell, type Toggle, TokenCard } from "./api-key-cells.tsx";
import { CreatedDialog } from "./CreatedDialog.tsx";
import { deleteToken, setTokenStatus } from "./drawer/api-key-calls.ts";
import { HowToUse } from "./HowToUse.tsx";
import { KeyCell } from "./KeyCell.tsx";

/** Forms are loaded when they are opened. */
const ApiKeyDrawer = lazy(async () => ({ default: (await import("./drawer/ApiKeyDrawer.tsx")).ApiKeyDrawer }));
const RotateDialog = lazy(async () => ({ default: (await import("./RotateDialog.tsx")).RotateDialog }));

type Data = Readonly<{
  groups: readonly string[];
  organization: ReturnType<typeof useOrganizationOptions>;
  /** Members of the organization that the user acts for; null: they act for themselves. */
  people: readonly Member[] | null;
  chatsOf: (token: Token) => readonly RowAction[];
  /** Shows a status at once. */
  show: (id: number, status: number) => Promise<unknown>;
}>;
type Context = ListContext<Data>;

const queryOf = ({ text, number }: FilterValues) => ({
  keyword: text("search") || undefined,
  token: text("key") || undefined,
  status: number("status"),
  group: text("group") || undefined,
  project_id: number("project"),
});

/** Those of applications have none: what uses them has tokens of its own. */
const hasSecret = ({ application }: Token): boolean => application === undefined;

const isOff = (token: Token): boolean => effectiveStatus(token, Date.now() / 1000) !== ENABLED;

/** Enables or disables a key, at once; null: the user may not. */
const toggleOf = ({ may, act, data, t }: Context): Toggle | null =>
  may("keys.write")
    ? ({ id, name, status: before }) => {
        const status = before === ENABLED ? DISABLED : ENABLED;
        void act({
          async work() {
            await data.show(id, status);
            try {
              await setTokenStatus(id, status);
            } catch (error) {
              await data.show(id, before);
              throw error;
            }
          },
          done: () => t(status === ENABLED ? "apiKeys.enabledToast" : "apiKeys.disabledToast", { name }),
        });
      }
    : null;

/** Copies keys, one per line; shows them where the browser denies access to the clipboard. */
async function copyKeys(tokens: readonly Token[], { t, open }: Context) {
  const text = tokens.map(fullKey).join("\n");
  if (await copyText(text)) notifyDone(t("apiKeys.batch.copied", { count: tokens.length }));
  else open((close) => <ManualCopyDialog text={text} onClose={close} />);
}

async function deleteAll(tokens: readonly Token[], { t }: Context) {
  const { done, failed, firstError } = await eachOf(tokens, ({ id }) => deleteToken(id));
  if (firstError) throw new Error(t("apiKeys.batch.partly", { done, failed, message: firstError.message }));
}

const showKeys = (tokens: readonly Token[], { open }: Context) =>
  open((close) => <CreatedDialog tokens={tokens} onClose={close} />);

const form = (token: Token | null, close: () => void, context: Context) => (
  <Suspense>
    <ApiKeyDrawer token={token} onClose={close} onCreated={(tokens) => showKeys(tokens, context)} />
  </Suspense>
);

/** The API keys of the account that the user acts for. */
export const API_KEYS: ResourceList<Token, ReturnType<typeof queryOf>, Data> = {
  text: (name) => `apiKeys.${name}`,
  icon: Key,
  rows: {
    key: TOKENS_KEY,
    read: ({ p, page_size: pageSize, ...query }, signal) => readTokens({ ...query, page: p - 1, pageSize }, signal),
    defaultSort: "created_time",
    isPageInAddress: true,
  },
  query: queryOf,
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  unit: "apiKeys.unit",
  columns: [
    {
      key: "name",
      sortKey: "name",
      isTitle: true,
      cell: ({ name }) => (
        <Box component="span" title={name} sx={{ fontWeight: 560 }}>
          {name}
        </Box>
      ),
    },
    { key: "key", width: 172, isSolid: true, cell: (token) => <KeyCell token={token} /> },
    {
      key: "status",
      sortKey: "status",
      width: 172,
      isSolid: true,
      cell: (token, context) => <SwitchCell token={token} onToggle={toggleOf(context)} />,
    },
    { key: "quota", sortKey: "used_quota", width: 192, isSolid: true, cell: (token) => <QuotaCell token={token} /> },
    {
      key: "remaining",
      sortKey: "remain_quota",
      width: 100,
      align: "right",
      isHiddenByDefault: true,
      cell: ({ unlimited_quota, remain_quota }, { t }) =>
        unlimited_quota ? <Quiet>{t("apiKeys.unlimited")}</Quiet> : <Money quota={remain_quota} />,
    },
    {
      key: "group",
      sortKey: "group",
      width: 96,
      cell: ({ group }, { t }) =>
        group ? (
          group.split(",").map((name) => <GroupTag key={name} group={name} />)
        ) : (
          <Quiet>{t("apiKeys.ownGroup")}</Quiet>
        ),
    },
    {
      key: "models",
      width: 84,
      cell: ({ model_limits_enabled: isLimited, model_limits: models }) => (
        <Listed names={isLimited ? models.split(",") : []} count="apiKeys.modelCount" none="apiKeys.allModels" />
      ),
    },
    {
      key: "ips",
      width: 104,
      isHiddenByDefault: true,
      cell: ({ allow_ips: ips }) => (
        <Listed names={ips.split("\n").filter(Boolean)} count="apiKeys.ipCount" none="apiKeys.anyIp" />
      ),
    },
    { key: "expires", kind: "time", of: "expired_time", none: "apiKeys.never", sortKey: "expired_time", width: 100 },
    {
      key: "lastUsed",
      kind: "time",
      of: "accessed_time",
      none: "apiKeys.neverUsed",
      sortKey: "accessed_time",
      width: 100,
    },
    { key: "created", kind: "time", of: "created_time", sortKey: "created_time", width: 104, isHiddenByDefault: true },
    { key: "rotated", kind: "time", of: "secret_time", sortKey: "secret_time", width: 128, isHiddenByDefault: true },
    {
      key: "author",
      kind: "text",
      width: 120,
      none: "apiKeys.formerMember",
      of: ({ created_by: author }, { data }) => data.people?.find(({ user_id }) => user_id === author)?.username,
      isShown: ({ data }) => data.people !== null,
    },
  ],
  search: "apiKeys.filters.search",
  filters: [
    // A full API key is a secret, so it stays out of the URL.
    { key: "key", isSecret: true },
    {
      key: "status",
      options: [
        [String(ENABLED), "apiKeys.status.enabled"],
        [String(DISABLED), "apiKeys.status.disabled"],
        [String(EXPIRED), "apiKeys.status.expired"],
        [String(EXHAUSTED), "apiKeys.status.exhausted"],
      ],
    },
    { key: "group", options: ({ groups }) => groups.map((group) => ({ value: group, label: group })) },
    {
      key: "project",
      head: "logs.filters.project",
      options: ({ organization }) => organization?.projects ?? [],
      isShown: ({ organization }) => organization !== null,
    },
  ],
  add: { name: "add", short: "apiKeys.addShort", inAddress: "add", needs: "keys.write", open: form },
  actions: [
    {
      name: "copyKey",
      icon: Copy,
      needs: "keys.write",
      isShown: hasSecret,
      run: (token, context) => copyKeys([token], context),
    },
    { name: "chats", needs: "keys.write", several: (token, { data }) => (hasSecret(token) ? data.chatsOf(token) : []) },
    {
      name: "rotate.action",
      icon: Rotate,
      needs: "keys.write",
      isShown: hasSecret,
      open: (token, close, context) => (
        <Suspense>
          <RotateDialog token={token} onClose={close} onRotated={(rotated) => showKeys([rotated], context)} />
        </Suspense>
      ),
    },
    editing(form, { needs: "keys.write" }),
    deleting(({ id }) => deleteToken(id), "apiKeys.deleted", { needs: "keys.write" }),
  ],
  bulk: [
    {
      name: "batch.copy",
      icon: Copy,
      needs: "keys.write",
      run: ({ rows }, context) => copyKeys(rows.filter(hasSecret), context),
    },
    {
      name: "batch.delete",
      icon: Delete,
      needs: "keys.write",
      isDangerous: true,
      ask: true,
      work: ({ rows }, context) => deleteAll(rows, context),
      done: "apiKeys.batch.deleted",
    },
  ],
  onRow: ["edit"],
  emptyFiltered: { title: "apiKeys.empty.filteredTitle", body: "apiKeys.empty.filteredBody" },
  isDim: isOff,
  card: (token, context) => <TokenCard token={token} onToggle={toggleOf(context)} />,
  above: ({ t }) => <Box sx={{ mb: 4, fontSize: 12.5, color: "text.secondary" }}>{t("apiKeys.warning")}</Box>,
  below: (rows, { may }) =>
    may("keys.write") && <HowToUse token={rows.find((token) => !isOff(token) && hasSecret(token))} />,
  remembers: { as: "tokens", columns: "choice", views: true },
  reload: [{ queryKey: TOKENS_KEY }],
  useData,
};

function useData(): Data {
  const client = useQueryClient();
  const { id } = useActing();
  const { data: people = [] } = useQuery({ ...members(id ?? 0), enabled: id !== null });
  return {
    groups: Object.keys(useQuery(usableGroups).data ?? {}),
    organization: useOrganizationOptions(),
    people: id === null ? null : people,
    chatsOf: useKeyChats(),
    show: (token, status) =>
      changePages<ApiKeyPage>(client, [...TOKENS_KEY, "page"], (page) => ({
        ...page,
        items: page.items.map((row) => (row.id === token ? { ...row, status } : row)),
      })),
  };
}
