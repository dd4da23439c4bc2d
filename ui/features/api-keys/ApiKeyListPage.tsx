import Add from "@mui/icons-material/AddOutlined";
import Rotate from "@mui/icons-material/CachedOutlined";
import Copy from "@mui/icons-material/ContentCopyOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Key from "@mui/icons-material/KeyOutlined";
import Warn from "@mui/icons-material/WarningAmberOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { useActing, useOrganizationOptions } from "../../api/accounts/use-organization.ts";
import {
  DISABLED,
  ENABLED,
  EXHAUSTED,
  EXPIRED,
  effectiveStatus,
  fullKey,
  type Token,
  tokenPage,
  usableGroups,
} from "../../api/api-keys/api-key.ts";
import { ColumnTools } from "../../components/data-table/ColumnTools.tsx";
import type { Selected } from "../../components/data-table/column.ts";
import { DataTable } from "../../components/data-table/DataTable.tsx";
import { SelectionBar } from "../../components/data-table/SelectionBar.tsx";
import { addressSort, useAddressPaging } from "../../components/data-table/url-state.ts";
import { type TableModel, useDataTable } from "../../components/data-table/use-data-table.ts";
import { ManualCopyDialog } from "../../components/display/CopyButton.tsx";
import { EmptyState } from "../../components/feedback/EmptyState.tsx";
import { FilterBar } from "../../components/inputs/FilterBar.tsx";
import { SavedViews } from "../../components/inputs/SavedViews.tsx";
import { PageHeader, Row, usePhone } from "../../components/layout.tsx";
import { type Address, useAddress } from "../../components/use-address.ts";
import { useKeyChats } from "../playground/links/chat-links.tsx";
import { TokenCard, useTokenColumns } from "./api-key-columns.tsx";
import { CreatedDialog } from "./CreatedDialog.tsx";
import { HowToUse } from "./HowToUse.tsx";
import { RotateDialog } from "./RotateDialog.tsx";
import { useApiKeyActions, useCopyKeys } from "./use-api-key-actions.ts";

/** Its form is loaded when it is opened. */
const ApiKeyDrawer = lazy(async () => ({ default: (await import("./drawer/ApiKeyDrawer.tsx")).ApiKeyDrawer }));

const NO_ROWS: Selected = {};

/** The user's API keys, and how to use them. */
export const ApiKeyListPage = () => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const address = useAddress();
  const [selected, setSelected] = useState(NO_ROWS);
  const [opened, setOpened] = useState<{ token: Token | null } | null>(null);
  const isAdding = address.text("add") !== "";
  const drawer = opened ?? (isAdding ? { token: null } : null);
  const closeDrawer = () => {
    setOpened(null);
    if (isAdding) address.set({ add: undefined });
  };
  const [rotating, setRotating] = useState<Token | null>(null);
  const [created, setCreated] = useState<readonly Token[]>([]);
  const [searchedKey, setSearchedKey] = useState("");
  const copy = useCopyKeys();
  const keyChats = useKeyChats();
  const filters = {
    keyword: address.text("search") || undefined,
    token: searchedKey || undefined,
    status: address.number("status"),
    group: address.text("group") || undefined,
    project_id: address.number("project"),
  };
  const sorting = addressSort(address, "created_time");
  const { page, pageSize, pagingOf } = useAddressPaging(address, () => setSelected(NO_ROWS));
  const list = useQuery({
    ...tokenPage({ ...filters, ...sorting.query, page, pageSize }),
    placeholderData: keepPreviousData,
  });
  const rows = list.data?.items;
  const actions = useApiKeyActions();
  const { may } = useActing();
  const mayWrite = may("keys.write");
  const columns = useTokenColumns(mayWrite ? actions.toggle : null);
  const ticked = rows?.filter(({ id }) => selected[id]) ?? [];
  const clearSelection = useCallback(() => setSelected(NO_ROWS), []);
  const clearFilters = () => {
    setSearchedKey("");
    address.clear();
  };
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const model = useDataTable({
    columns,
    rows,
    rowId: idOf,
    rowName: nameOf,
    sort: sorting.sort,
    onSort: sorting.onSort,
    ...(mayWrite && { selection: { selected, onChange: setSelected } }),
    actions: (token) =>
      mayWrite
        ? [
            { label: t("apiKeys.copyKey"), icon: <Copy />, onSelect: () => copy.copy([token]) },
            ...keyChats(token),
            { label: t("apiKeys.rotate.action"), icon: <Rotate />, onSelect: () => setRotating(token) },
            { label: t("apiKeys.edit"), icon: <Edit />, onSelect: () => setOpened({ token }) },
            {
              label: t("apiKeys.delete"),
              icon: <Delete />,
              onSelect: () => actions.remove([token]),
              isDangerous: true,
            },
          ]
        : [],
    columnsKey: "tokens-table-columns",
  });
  return (
    <>
      <PageHeader
        title={t("apiKeys.title")}
        purpose={t("apiKeys.purpose")}
        actions={
          mayWrite && (
            <Button variant="contained" color="primary" startIcon={<Add />} onClick={() => setOpened({ token: null })}>
              {isPhone ? t("apiKeys.addShort") : t("apiKeys.add")}
            </Button>
          )
        }
      />
      <Row
        gap={2.5}
        sx={{
          mb: 4,
          px: 3,
          py: 2,
          borderRadius: 1,
          border: "1px solid",
          borderColor: "tone.warn.line",
          bgcolor: "tone.warn.tint",
          fontSize: 13,
          alignItems: "flex-start",
        }}
      >
        <Warn sx={{ fontSize: 18, mt: "1px", color: "tone.warn.text" }} />
        <Box sx={{ color: "text.primary" }}>{t("apiKeys.warning")}</Box>
      </Row>
      <TokenFilters address={address} model={model} searchedKey={searchedKey} onSearchKey={setSearchedKey} />
      <DataTable
        model={model}
        isRefreshing={list.isPlaceholderData}
        error={list.error}
        onRetry={() => list.refetch()}
        empty={
          <TokensEmpty
            isFiltered={isFiltered}
            onClear={clearFilters}
            onAdd={mayWrite ? () => setOpened({ token: null }) : null}
          />
        }
        paging={pagingOf(list.data?.total, t("apiKeys.unit"))}
        card={(token) => <TokenCard token={token} onToggle={mayWrite ? actions.toggle : null} />}
        {...(mayWrite && { onOpen: (token: Token) => setOpened({ token }) })}
        isDim={isOff}
      />
      {mayWrite && <HowToUse token={rows?.find((token) => !isOff(token))} />}
      {ticked.length > 0 && (
        <SelectionBar
          count={ticked.length}
          onClear={clearSelection}
          actions={[
            {
              label: t("apiKeys.batch.copy", { count: ticked.length }),
              icon: <Copy />,
              onSelect: () => copy.copy(ticked),
            },
            {
              label: t("apiKeys.batch.delete", { count: ticked.length }),
              icon: <Delete />,
              onSelect: async () => (await actions.remove(ticked)) && clearSelection(),
              isDangerous: true,
            },
          ]}
        />
      )}
      {drawer && mayWrite && (
        <Suspense>
          <ApiKeyDrawer token={drawer.token} onClose={closeDrawer} onCreated={setCreated} />
        </Suspense>
      )}
      {rotating && (
        <RotateDialog token={rotating} onClose={() => setRotating(null)} onRotated={(token) => setCreated([token])} />
      )}
      {created.length > 0 && <CreatedDialog tokens={created} onClose={() => setCreated([])} />}
      {copy.refused.length > 0 && <ManualCopyDialog text={copy.refused.map(fullKey).join("\n")} onClose={copy.close} />}
    </>
  );
};

const idOf = (token: Token): number => token.id;
const nameOf = (token: Token): string => token.name;
const isOff = (token: Token): boolean => effectiveStatus(token, Date.now() / 1000) !== ENABLED;

const STATUSES = [
  [ENABLED, "enabled"],
  [DISABLED, "disabled"],
  [EXPIRED, "expired"],
  [EXHAUSTED, "exhausted"],
] as const;

type TokenFiltersProps = Readonly<{
  address: Address;
  model: TableModel<Token>;
  /** A full API key is a secret, so it stays out of the URL. */
  searchedKey: string;
  onSearchKey: (key: string) => void;
}>;

/** Search by name or full key; filter by status, group and project. */
const TokenFilters = ({ address, model, searchedKey, onSearchKey }: TokenFiltersProps) => {
  const { t } = useTranslation();
  const groups = Object.keys(useQuery(usableGroups).data ?? {});
  const organization = useOrganizationOptions();
  return (
    <FilterBar
      search={{ value: address.text("search"), placeholder: t("apiKeys.filters.search") }}
      filters={[
        { key: "key", label: t("apiKeys.filters.key"), value: searchedKey },
        {
          key: "status",
          label: t("apiKeys.filters.status"),
          value: address.text("status"),
          options: STATUSES.map(([status, name]) => ({ value: String(status), label: t(`apiKeys.status.${name}`) })),
        },
        {
          key: "group",
          label: t("apiKeys.filters.group"),
          value: address.text("group"),
          options: groups.map((group) => ({ value: group, label: group })),
        },
        ...(organization
          ? [
              {
                key: "project",
                label: t("logs.filters.project"),
                value: address.text("project"),
                options: organization.projects,
              },
            ]
          : []),
      ]}
      onChange={(key, value) => {
        if (key === "key") onSearchKey(value);
        address.set(key === "key" ? { p: undefined } : { [key]: value, p: undefined });
      }}
      onClear={() => {
        onSearchKey("");
        address.clear();
      }}
      tools={
        <>
          <SavedViews list="tokens" />
          <ColumnTools model={model} />
        </>
      }
    />
  );
};

type TokensEmptyProps = Readonly<{ isFiltered: boolean; onClear: () => void; onAdd: (() => void) | null }>;

/** Empty state: no key yet, or no match. */
const TokensEmpty = ({ isFiltered, onClear, onAdd }: TokensEmptyProps) => {
  const { t } = useTranslation();
  if (isFiltered) {
    return (
      <EmptyState
        icon={<Key />}
        title={t("apiKeys.empty.filteredTitle")}
        body={t("apiKeys.empty.filteredBody")}
        action={<Button onClick={onClear}>{t("components.filter.clear")}</Button>}
      />
    );
  }
  return (
    <EmptyState
      icon={<Key />}
      title={t("apiKeys.empty.title")}
      body={t("apiKeys.empty.body")}
      action={
        onAdd && (
          <Button variant="contained" color="primary" onClick={onAdd}>
            {t("apiKeys.add")}
          </Button>
        )
      }
    />
  );
};
