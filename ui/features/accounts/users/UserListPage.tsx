import Add from "@mui/icons-material/AddOutlined";
import AdminPanel from "@mui/icons-material/AdminPanelSettingsOutlined";
import Paid from "@mui/icons-material/AttachMoneyOutlined";
import Block from "@mui/icons-material/BlockOutlined";
import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import People from "@mui/icons-material/GroupOutlined";
import Info from "@mui/icons-material/InfoOutlined";
import Demote from "@mui/icons-material/KeyboardDoubleArrowDownOutlined";
import Promote from "@mui/icons-material/KeyboardDoubleArrowUpOutlined";
import LockReset from "@mui/icons-material/LockResetOutlined";
import Remove from "@mui/icons-material/PersonRemoveOutlined";
import Button from "@mui/material/Button";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { useHasOrganizations } from "../../../api/accounts/use-organization.ts";
import { groupNames } from "../../../api/channels/channel-lists.ts";
import { requestDownload } from "../../../api/client.ts";
import { usersApi } from "../../../api/groups.ts";
import { ColumnTools } from "../../../components/data-table/ColumnTools.tsx";
import { type RowAction, type Selected, selectedIds, selectRows } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { addressSort, useAddressPaging } from "../../../components/data-table/url-state.ts";
import { type TableModel, useDataTable } from "../../../components/data-table/use-data-table.ts";
import { DownloadButton } from "../../../components/display/DownloadButton.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { SavedViews } from "../../../components/inputs/SavedViews.tsx";
import { PageHeader, Row } from "../../../components/layout.tsx";
import { type Address, useAddress, usePathname } from "../../../components/use-address.ts";
import { useSession } from "../../../state/session.ts";
import { hasRight } from "../../../state/stored-user.ts";
import { UserBatchBar } from "./UserBatchBar.tsx";
import { UserDrawer } from "./UserFormDrawer.tsx";
import { useSecondFactorReset, useUserActions } from "./use-user-actions.ts";
import {
  ACTIVE,
  actionsFor,
  BANNED,
  drawerOf,
  isInReach,
  mayGiveRole,
  ROLE,
  type User,
  type UserAction,
  userPage,
} from "./user.ts";
import { UserCard, useUserColumns } from "./user-columns.tsx";
import { QuotaDialog, RoleDialog, UserInfoDialog } from "./user-dialogs.tsx";

const ICONS: Readonly<Record<UserAction, ReactNode>> = {
  promote: <Promote />,
  demote: <Demote />,
  enable: <Check />,
  disable: <Block />,
  delete: <Remove />,
};

const NO_ROWS: Selected = {};
const KINDS = ["person", "organization"] as const;

/** The list of users and the actions on them. */
export const UserListPage = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const address = useAddress();
  const { user: actor } = useSession();
  const drawer = drawerOf(usePathname());
  const [shown, setShown] = useState<User | null>(null);
  const [topped, setTopped] = useState<User | null>(null);
  const [ranked, setRanked] = useState<User | null>(null);
  const [selected, setSelected] = useState(NO_ROWS);
  const clearSelection = useCallback(() => setSelected(NO_ROWS), []);
  const filters = {
    keyword: address.text("search") || undefined,
    group: address.text("group") || undefined,
    role: address.number("role"),
    status: address.number("status"),
    kind: KINDS.find((kind) => kind === address.text("kind")),
  };
  const sorting = addressSort(address, "id");
  const { page, pageSize, pagingOf } = useAddressPaging(address);
  const list = useQuery({
    ...userPage({ ...filters, ...sorting.query }, page, pageSize),
    placeholderData: keepPreviousData,
  });
  const columns = useUserColumns();
  const manage = useUserActions();
  const resetFactor = useSecondFactorReset();
  const go = (to: "/user" | "/user/add") => navigate({ to, search: true });
  const edit = (user: User) => navigate({ to: "/user/edit/$id", params: { id: String(user.id) }, search: true });
  const rowActions = (user: User): RowAction[] => [
    { label: t("users.actions.info"), icon: <Info />, onSelect: () => setShown(user) },
    ...(isInReach(user, actor)
      ? [
          { label: t("users.actions.edit"), icon: <Edit />, onSelect: () => void edit(user) },
          { label: t("users.quota.open"), icon: <Paid />, onSelect: () => setTopped(user) },
          ...(user.id === actor?.id || user.kind === "organization"
            ? []
            : [{ label: t("users.secondFactor.reset"), icon: <LockReset />, onSelect: () => void resetFactor(user) }]),
        ]
      : []),
    ...(mayGiveRole(user, actor)
      ? [{ label: t("users.customRole.open"), icon: <AdminPanel />, onSelect: () => setRanked(user) }]
      : []),
    ...actionsFor(user, actor).map((action) => ({
      label: t(`users.actions.${action}`),
      icon: ICONS[action],
      onSelect: () => void manage(user, action),
      isDangerous: action === "delete",
      // Only a ban can be lifted this way; other statuses come from imports.
      isDisabled: action === "enable" && user.status !== BANNED,
    })),
  ];
  const model = useDataTable({
    columns,
    rows: list.data?.items,
    rowId: idOf,
    rowName: nameOf,
    sort: sorting.sort,
    onSort: sorting.onSort,
    selection: { selected, onChange: setSelected },
    actions: rowActions,
    columnsKey: "users-table-columns",
  });
  return (
    <>
      <PageHeader
        title={t("users.title")}
        purpose={t("users.purpose")}
        actions={
          <Row>
            <DownloadButton request={() => requestDownload(usersApi.export, filters)} />
            {hasRight(actor, "users:write") && (
              <Button variant="contained" color="primary" startIcon={<Add />} onClick={() => go("/user/add")}>
                {t("users.form.add")}
              </Button>
            )}
          </Row>
        }
      />
      <UserFilterBar address={address} model={model} />
      <DataTable
        model={model}
        isRefreshing={list.isPlaceholderData}
        error={list.error}
        onRetry={() => list.refetch()}
        empty={
          <EmptyState
            icon={<People />}
            title={t("users.empty.title")}
            body={t("users.empty.body")}
            action={<Button onClick={address.clear}>{t("components.filter.clear")}</Button>}
          />
        }
        paging={pagingOf(list.data?.total, t("users.unit"))}
        card={(user) => <UserCard user={user} />}
        onOpen={(user) => (isInReach(user, actor) ? void edit(user) : setShown(user))}
        isDim={isOff}
      />
      {selectedIds(selected).length > 0 && drawer === null && (
        <UserBatchBar
          ids={selectedIds(selected).map(Number)}
          onClear={clearSelection}
          onDone={(refused) => setSelected(selectRows(refused))}
        />
      )}
      {drawer && <UserDrawer key={drawer.id} id={drawer.id} onClose={() => go("/user")} />}
      {shown && <UserInfoDialog user={shown} onClose={() => setShown(null)} />}
      {ranked && <RoleDialog user={ranked} onClose={() => setRanked(null)} />}
      {topped && <QuotaDialog user={topped} onClose={() => setTopped(null)} />}
    </>
  );
};

const idOf = ({ id }: User) => id;
const nameOf = ({ username }: User) => username;
const isOff = ({ DeletedAt, status }: User) => DeletedAt !== null || status !== ACTIVE;

/** Search by name, e-mail or id; group, role, status and kind. */
const UserFilterBar = ({ address, model }: { address: Address; model: TableModel<User> }) => {
  const { t } = useTranslation();
  const groups = useQuery(groupNames).data ?? [];
  const hasOrganizations = useHasOrganizations();
  return (
    <FilterBar
      search={{ value: address.text("search"), placeholder: t("users.filters.search") }}
      filters={[
        {
          key: "group",
          label: t("users.columns.group"),
          value: address.text("group"),
          options: groups.map((group) => ({ value: group, label: group })),
        },
        {
          key: "role",
          label: t("users.columns.role"),
          value: address.text("role"),
          options: [
            { value: String(ROLE.user), label: t("users.role.user") },
            { value: String(ROLE.admin), label: t("users.role.admin") },
            { value: String(ROLE.root), label: t("users.role.root") },
          ],
        },
        {
          key: "status",
          label: t("users.columns.status"),
          value: address.text("status"),
          options: [
            { value: String(ACTIVE), label: t("users.status.active") },
            { value: String(BANNED), label: t("users.status.banned") },
          ],
        },
        ...(hasOrganizations
          ? [
              {
                key: "kind",
                label: t("users.columns.kind"),
                value: address.text("kind"),
                options: KINDS.map((kind) => ({ value: kind, label: t(`users.kind.${kind}`) })),
              },
            ]
          : []),
      ]}
      onChange={(key, value) => address.set({ [key]: value, p: undefined })}
      onClear={address.clear}
      tools={
        <>
          <SavedViews list="users" />
          <ColumnTools model={model} />
        </>
      }
    />
  );
};
