import Add from "@mui/icons-material/AddOutlined";
import Block from "@mui/icons-material/BlockOutlined";
import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import Copy from "@mui/icons-material/ContentCopyOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import People from "@mui/icons-material/PeopleOutlineOutlined";
import Ticket from "@mui/icons-material/RedeemOutlined";
import Button from "@mui/material/Button";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { requestDownload } from "../../../api/client.ts";
import { redemptionApi } from "../../../api/groups.ts";
import { ColumnTools } from "../../../components/data-table/ColumnTools.tsx";
import type { Selected } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { SelectionBar } from "../../../components/data-table/SelectionBar.tsx";
import { addressSort, useAddressPaging } from "../../../components/data-table/url-state.ts";
import { type TableModel, useDataTable } from "../../../components/data-table/use-data-table.ts";
import { copyText, ManualCopyDialog } from "../../../components/display/CopyButton.tsx";
import { DownloadButton } from "../../../components/display/DownloadButton.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { SavedViews } from "../../../components/inputs/SavedViews.tsx";
import { PageHeader, Row, usePhone } from "../../../components/layout.tsx";
import { type Address, useAddress } from "../../../components/use-address.ts";
import { oneOf } from "../../../state/search-text.ts";
import { CodeDrawer } from "./CodeDrawer.tsx";
import { type Code, codePage, DISABLED, isSpent, UNUSED, USED } from "./code.ts";
import { CodeCard, useCodeColumns } from "./code-columns.tsx";
import { CodeUsesDialog, CreatedCodes, DeleteByNameDialog } from "./code-dialogs.tsx";
import { useCodeActions } from "./use-code-actions.ts";

const NO_ROWS: Selected = {};

/** Redemption codes and gift codes. */
export const RedemptionListPage = () => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const address = useAddress();
  const [selected, setSelected] = useState(NO_ROWS);
  const [opened, setOpened] = useState<{ code: Code | null } | null>(null);
  const isAdding = address.text("add") !== "";
  const drawer = opened ?? (isAdding ? { code: null } : null);
  const closeDrawer = () => {
    setOpened(null);
    if (isAdding) address.set({ add: undefined });
  };
  const [created, setCreated] = useState<{ name: string; keys: readonly string[] } | null>(null);
  const [shownUses, setShownUses] = useState<Code | null>(null);
  const [isDeletingByName, setDeletingByName] = useState(false);
  const [notCopied, setNotCopied] = useState("");
  const filters = {
    keyword: address.text("search") || undefined,
    status: address.number("status"),
    type: oneOf(address.text("type"), ["code", "gift"]),
  };
  const sorting = addressSort(address, "created_time");
  const { page, pageSize, pagingOf } = useAddressPaging(address, () => setSelected(NO_ROWS));
  const list = useQuery({
    ...codePage({ ...filters, ...sorting.query, page, pageSize }),
    placeholderData: keepPreviousData,
  });
  const rows = list.data?.items;
  const actions = useCodeActions();
  const columns = useCodeColumns();
  const ticked = rows?.filter(({ id }) => selected[id]) ?? [];
  const clearSelection = () => setSelected(NO_ROWS);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const copy = async (codes: readonly Code[]) => {
    const text = codes.map(({ key }) => key).join("\n");
    if (await copyText(text)) notifyDone(t("codes.copied", { count: codes.length }));
    else setNotCopied(text);
  };
  const add = (
    <Button variant="contained" color="primary" startIcon={<Add />} onClick={() => setOpened({ code: null })}>
      {t(isPhone ? "codes.addShort" : "codes.add")}
    </Button>
  );
  const tidying = (
    <>
      <Button onClick={() => setDeletingByName(true)}>{t("codes.byName.open")}</Button>
      <Button onClick={actions.removeDisabled}>{t("codes.deleteDisabled")}</Button>
    </>
  );
  const model = useDataTable({
    columns,
    rows,
    rowId: idOf,
    rowName: nameOf,
    sort: sorting.sort,
    onSort: sorting.onSort,
    selection: { selected, onChange: setSelected },
    actions: (code) => [
      { label: t("codes.copy"), icon: <Copy />, onSelect: () => copy([code]) },
      { label: t("codes.uses.open"), icon: <People />, onSelect: () => setShownUses(code) },
      {
        label: t("codes.edit"),
        icon: <Edit />,
        onSelect: () => setOpened({ code }),
        isDisabled: code.status !== UNUSED,
      },
      {
        label: t(code.status === UNUSED ? "codes.disable" : "codes.enable"),
        icon: code.status === UNUSED ? <Block /> : <Check />,
        onSelect: () => actions.toggle(code),
        isDisabled: code.status === USED,
      },
      { label: t("codes.delete"), icon: <Delete />, onSelect: () => actions.remove([code]), isDangerous: true },
    ],
    columnsKey: "codes-table-columns",
  });
  return (
    <>
      <PageHeader
        title={t("codes.title")}
        purpose={t("codes.purpose")}
        actions={
          <Row>
            {!isPhone && tidying}
            <DownloadButton request={() => requestDownload(redemptionApi.export, filters)} />
            {add}
          </Row>
        }
      />
      {isPhone && (
        <Row wrap sx={{ mb: 3 }}>
          {tidying}
        </Row>
      )}
      <CodeFilters address={address} model={model} />
      <DataTable
        model={model}
        isRefreshing={list.isPlaceholderData}
        error={list.error}
        onRetry={() => list.refetch()}
        empty={
          <EmptyState
            icon={<Ticket />}
            title={t(isFiltered ? "codes.empty.filteredTitle" : "codes.empty.title")}
            body={t(isFiltered ? "codes.empty.filteredBody" : "codes.empty.body")}
            action={isFiltered ? <Button onClick={address.clear}>{t("components.filter.clear")}</Button> : add}
          />
        }
        paging={pagingOf(list.data?.total, t("codes.unit"))}
        card={(code) => <CodeCard code={code} />}
        onOpen={(code) => (code.status === UNUSED ? setOpened({ code }) : setShownUses(code))}
        isDim={isSpent}
      />
      {ticked.length > 0 && (
        <SelectionBar
          count={ticked.length}
          onClear={clearSelection}
          actions={[
            { label: t("codes.batch.copy", { count: ticked.length }), icon: <Copy />, onSelect: () => copy(ticked) },
            {
              label: t("codes.batch.disable", { count: ticked.length }),
              icon: <Block />,
              onSelect: async () => (await actions.disable(ticked)) && clearSelection(),
            },
            {
              label: t("codes.batch.delete", { count: ticked.length }),
              icon: <Delete />,
              onSelect: async () => (await actions.remove(ticked)) && clearSelection(),
              isDangerous: true,
            },
          ]}
        />
      )}
      {drawer && <CodeDrawer code={drawer.code} onClose={closeDrawer} onCreated={setCreated} />}
      {created && <CreatedCodes {...created} onClose={() => setCreated(null)} />}
      {shownUses && <CodeUsesDialog code={shownUses} onClose={() => setShownUses(null)} />}
      {isDeletingByName && (
        <DeleteByNameDialog onClose={() => setDeletingByName(false)} onDeleted={() => void actions.refresh()} />
      )}
      {notCopied && <ManualCopyDialog text={notCopied} onClose={() => setNotCopied("")} />}
    </>
  );
};

const idOf = ({ id }: Code) => id;
const nameOf = ({ name }: Code) => name;

const STATUSES = [
  [UNUSED, "unused"],
  [DISABLED, "disabled"],
  [USED, "used"],
] as const;

/** Search by name, id or the whole code; status and kind. */
const CodeFilters = ({ address, model }: { address: Address; model: TableModel<Code> }) => {
  const { t } = useTranslation();
  return (
    <FilterBar
      search={{ value: address.text("search"), placeholder: t("codes.filters.search") }}
      filters={[
        {
          key: "status",
          label: t("codes.filters.status"),
          value: address.text("status"),
          options: STATUSES.map(([status, name]) => ({ value: String(status), label: t(`codes.status.${name}`) })),
        },
        {
          key: "type",
          label: t("codes.filters.type"),
          value: address.text("type"),
          options: [
            { value: "code", label: t("codes.ordinary") },
            { value: "gift", label: t("codes.gift") },
          ],
        },
      ]}
      onChange={(key, value) => address.set({ [key]: value, p: undefined })}
      onClear={address.clear}
      tools={
        <>
          <SavedViews list="codes" />
          <ColumnTools model={model} />
        </>
      }
    />
  );
};
