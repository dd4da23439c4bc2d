import AdminPanel from "@mui/icons-material/AdminPanelSettingsOutlined";
import Paid from "@mui/icons-material/AttachMoneyOutlined";
import Block from "@mui/icons-material/BlockOutlined";
import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import People from "@mui/icons-material/GroupOutlined";
import Info from "@mui/icons-material/InfoOutlined";
import Demote from "@mui/icons-material/KeyboardDoubleArrowDownOutlined";
import Promote from "@mui/icons-material/KeyboardDoubleArrowUpOutlined";
import Group from "@mui/icons-material/LabelOutlined";
import LockReset from "@mui/icons-material/LockResetOutlined";
import Remove from "@mui/icons-material/PersonRemoveOutlined";
import Box from "@mui/material/Box";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { useHasOrganizations } from "../../../api/accounts/use-organization.ts";
import { groupNames } from "../../../api/channels/channel-lists.ts";
import { readData, requestDownload } from "../../../api/client.ts";
import { usersApi } from "../../../api/groups.ts";
import { changePages } from "../../../api/replace-data.ts";
import { GroupTag } from "../../../components/display/Tag.tsx";
import { Quiet } from "../../../components/page/list/column-kinds.tsx";
import type { ListContext } from "../../../components/page/list/list-context.ts";
import type { FilterValues, ListAction, Picked, ResourceList } from "../../../components/page/list/resource-list.ts";
import { useSession } from "../../../state/session.ts";
import type { StoredUser } from "../../../state/stored-user.ts";
import {
  ACTIVE,
  actionsFor,
  BANNED,
  isInReach,
  mayGiveRole,
  ROLE,
  USERS_KEY,
  type User,
  type UserAction,
  type UserPage,
} from "./user.ts";
import { GroupDialog, QuotaDialog, RoleDialog, UserInfoDialog } from "./user-dialogs.tsx";
import { manageUser, manageUsers, resetSecondFactor, type UserBatch } from "./user-form.ts";
import { UserBalance, UserCard, UserRole, UserStatus } from "./user-marks.tsx";

type Data = Readonly<{
  actor: StoredUser | null;
  groups: readonly string[];
  hasOrganizations: boolean;
  open: (to: "/user/add" | number) => void;
  /** Shows at once what became of a user. */
  show: (id: number, standing: Partial<User>) => Promise<unknown>;
}>;
type Context = ListContext<Data>;

const KINDS = ["person", "organization"] as const;

const queryOf = ({ text, number }: FilterValues) => ({
  keyword: text("search") || undefined,
  group: text("group") || undefined,
  role: number("role"),
  status: number("status"),
  kind: KINDS.find((kind) => kind === text("kind")),
});

const isReached = (user: User, { data }: Context) => isInReach(user, data.actor);

/** Promotes, demotes, bans, readmits or deregisters a user; asks where it matters. */
const managing = (action: UserAction, icon: ComponentType, isDangerous?: "asked" | "shown"): ListAction<User, Data> => {
  const texts = { title: `users.ask.${action}.title`, body: `users.ask.${action}.body` };
  return {
    name: `actions.${action}`,
    label: `users.actions.${action}`,
    icon,
    isShown: (user, { data }) => actionsFor(user, data.actor).includes(action),
    isDangerous: isDangerous === "shown",
    // Only a ban can be lifted this way; other statuses come from imports.
    isDisabled: ({ status }) => action === "enable" && status !== BANNED,
    ...(action !== "enable" && { ask: isDangerous === "asked" ? { ...texts, isDangerous: true } : texts }),
    work: async ({ id }, { data }) => data.show(id, await manageUser(id, action)),
    done: `users.done.${action}`,
  };
};

/** Does something to all selected users; those for whom it was rejected stay selected. */
async function manageAll({ ids }: Picked<User>, batch: UserBatch, { t, select }: Context) {
  const outcomes = await manageUsers(ids.map(Number), batch);
  const refused = outcomes.filter(({ success }) => !success);
  const done = outcomes.length - refused.length;
  select(refused.map(({ id }) => id));
  const [first] = refused;
  if (first) throw new Error(t("users.batch.partly", { done, refused: refused.length, message: first.message }));
  return { count: done, group: batch.group };
}

const managingAll = (action: "enable" | "disable" | "delete", icon: ComponentType): ListAction<Picked<User>, Data> => {
  const texts = { title: `users.batch.ask.${action}.title`, body: `users.batch.ask.${action}.body` };
  return {
    name: `actions.${action}`,
    label: `users.actions.${action}`,
    icon,
    needs: "users:write",
    isDangerous: action === "delete",
    ...(action !== "enable" && { ask: { ...texts, isDangerous: true } }),
    work: (picked, context) => manageAll(picked, { action }, context),
    done: `users.batch.done.${action}`,
  };
};

/** All users, and the actions on them. */
export const USERS: ResourceList<User, ReturnType<typeof queryOf>, Data> = {
  text: (name) => `users.${name}`,
  icon: People,
  rows: {
    key: USERS_KEY,
    read: (query, signal) => readData(usersApi.search.get({ query, fetch: { signal } })),
    defaultSort: "id",
    isPageInAddress: true,
  },
  query: queryOf,
  rowId: ({ id }) => id,
  rowName: ({ username }) => username,
  unit: "users.unit",
  columns: [
    { key: "id", sortKey: "id", width: 64, cell: ({ id }) => <Quiet>{id}</Quiet> },
    { key: "username", sortKey: "username", isTitle: true, cell: nameOf },
    { key: "role", sortKey: "role", width: 112, isSolid: true, cell: (user) => <UserRole user={user} /> },
    { key: "status", width: 120, isSolid: true, cell: (user) => <UserStatus user={user} /> },
    { key: "group", width: 104, cell: ({ group }) => <GroupTag group={group} /> },
    { key: "quota", sortKey: "quota", width: 104, align: "right", cell: (user) => <UserBalance user={user} /> },
    { key: "used", kind: "money", of: "used_quota", sortKey: "used_quota", width: 104 },
    { key: "calls", kind: "count", of: "request_count", sortKey: "request_count", width: 88 },
    { key: "invited", kind: "count", of: "aff_count", sortKey: "aff_count", width: 88, isHiddenByDefault: true },
    { key: "email", kind: "text", none: "–", width: 180, isHiddenByDefault: true },
    { key: "note", kind: "text", none: "–", width: 160, isHiddenByDefault: true },
    {
      key: "lastLogin",
      kind: "time",
      of: "last_login_time",
      none: "users.never",
      sortKey: "last_login_time",
      width: 104,
    },
    { key: "created", kind: "time", of: "created_time", sortKey: "created_time", width: 104, isHiddenByDefault: true },
  ],
  search: "users.filters.search",
  filters: [
    {
      key: "group",
      head: "users.columns.group",
      options: ({ groups }) => groups.map((group) => ({ value: group, label: group })),
    },
    {
      key: "role",
      head: "users.columns.role",
      options: (["user", "admin", "root"] as const).map((role) => [String(ROLE[role]), `users.role.${role}`] as const),
    },
    {
      key: "status",
      head: "users.columns.status",
      options: [
        [String(ACTIVE), "users.status.active"],
        [String(BANNED), "users.status.banned"],
      ],
    },
    {
      key: "kind",
      head: "users.columns.kind",
      options: KINDS.map((kind) => [kind, `users.kind.${kind}`] as const),
      isShown: ({ hasOrganizations }) => hasOrganizations,
    },
  ],
  add: { name: "form.add", needs: "users:write", run: (_, { data }) => data.open("/user/add") },
  download: { request: (query) => requestDownload(usersApi.export, query) },
  actions: [
    { name: "actions.info", icon: Info, open: (user, close) => <UserInfoDialog user={user} onClose={close} /> },
    { name: "actions.edit", icon: Edit, isShown: isReached, run: ({ id }, { data }) => data.open(id) },
    {
      name: "quota.open",
      icon: Paid,
      isShown: isReached,
      open: (user, close) => <QuotaDialog user={user} onClose={close} />,
    },
    {
      name: "secondFactor.reset",
      icon: LockReset,
      isShown: (user, context) =>
        isReached(user, context) && user.id !== context.data.actor?.id && user.kind !== "organization",
      ask: { title: "users.secondFactor.title", body: "users.secondFactor.body", isDangerous: true },
      work: ({ id }) => resetSecondFactor(id),
      done: "users.secondFactor.done",
    },
    {
      name: "customRole.open",
      icon: AdminPanel,
      isShown: (user, { data }) => mayGiveRole(user, data.actor),
      open: (user, close) => <RoleDialog user={user} onClose={close} />,
    },
    managing("promote", Promote),
    managing("demote", Demote),
    managing("enable", Check),
    managing("disable", Block, "asked"),
    managing("delete", Remove, "shown"),
  ],
  bulk: [
    managingAll("enable", Check),
    managingAll("disable", Block),
    {
      name: "batch.group",
      icon: Group,
      needs: "users:write",
      open: (picked, close, context) => (
        <GroupDialog
          count={picked.ids.length}
          onSet={(group) =>
            context.act({
              work: () => manageAll(picked, { action: "group", group }, context),
              done: (outcome) => context.t("users.batch.done.group", outcome),
            })
          }
          onClose={close}
        />
      ),
    },
    managingAll("delete", Remove),
  ],
  isSelectionLasting: true,
  onRow: ["actions.edit", "actions.info"],
  emptyFiltered: { title: "users.empty.title", body: "users.empty.body" },
  isDim: ({ DeletedAt, status }) => DeletedAt !== null || status !== ACTIVE,
  card: (user) => <UserCard user={user} />,
  remembers: { as: "users", columns: "choice", views: true },
  reload: [{ queryKey: USERS_KEY }],
  useData,
};

function useData(): Data {
  const navigate = useNavigate();
  const client = useQueryClient();
  return {
    actor: useSession().user,
    groups: useQuery(groupNames).data ?? [],
    hasOrganizations: useHasOrganizations(),
    open: (to) =>
      void (typeof to === "number"
        ? navigate({ to: "/user/edit/$id", params: { id: String(to) }, search: true })
        : navigate({ to, search: true })),
    show: (id, standing) =>
      changePages<UserPage>(client, [...USERS_KEY, "page"], (page) => ({
        ...page,
        items: page.items.map((row) => (row.id === id ? { ...row, ...standing } : row)),
      })),
  };
}

function nameOf({ username, display_name: displayName, note }: User) {
  return (
    <Box component="span" title={note || username}>
      <Box component="span" sx={{ fontWeight: 560 }}>
        {username}
      </Box>
      {displayName && displayName !== username && (
        <Box component="span" sx={{ ml: 2, color: "text.tertiary" }}>
          {displayName}
        </Box>
      )}
    </Box>
  );
}
