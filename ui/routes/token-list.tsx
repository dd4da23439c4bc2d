import Add from "@mui/icons-material/AddOutlined";
import Rotate from "@mui/icons-material/CachedOutlined";
import Copy from "@mui/icons-material/ContentCopyOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Warn from "@mui/icons-material/WarningAmberOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Selected } from "../components/data-table/column.ts";
import { DataTable } from "../components/data-table/DataTable.tsx";
import { SelectionBar } from "../components/data-table/SelectionBar.tsx";
import { addressSort, useAddressPaging } from "../components/data-table/url-state.ts";
import { useDataTable } from "../components/data-table/use-data-table.ts";
import { Row } from "../components/layout.tsx";
import { ManualCopyDialog } from "../components/ManualCopyDialog.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { useAddress } from "../components/useAddress.ts";
import { usePhone } from "../components/usePhone.ts";
import { useKeyChats } from "../features/chat/use-key-chats.tsx";
import { CreatedDialog } from "../features/tokens/CreatedDialog.tsx";
import { HowToUse } from "../features/tokens/HowToUse.tsx";
import { RotateDialog } from "../features/tokens/RotateDialog.tsx";
import { TokenCard } from "../features/tokens/TokenCard.tsx";
import { TokenDrawer } from "../features/tokens/TokenDrawer.tsx";
import { TokenFilters } from "../features/tokens/TokenFilters.tsx";
import { TokensEmpty } from "../features/tokens/TokensEmpty.tsx";
import { ENABLED, effectiveStatus, fullKey, type Token } from "../features/tokens/token.ts";
import { useTokenColumns } from "../features/tokens/token-columns.tsx";
import { tokenPage } from "../features/tokens/token-queries.ts";
import { useCopyKeys } from "../features/tokens/use-copy-keys.ts";
import { useTokenActions } from "../features/tokens/use-token-actions.ts";

const NO_ROWS: Selected = {};

/** The API keys of whoever is signed in, and how to use them. */
export const TokenListPage = () => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const address = useAddress();
  const [selected, setSelected] = useState(NO_ROWS);
  const [drawer, setDrawer] = useState<{ token: Token | null } | null>(null);
  const [rotating, setRotating] = useState<Token | null>(null);
  const [created, setCreated] = useState<readonly Token[]>([]);
  const [wholeKey, setWholeKey] = useState("");
  const copy = useCopyKeys();
  const keyChats = useKeyChats();
  const filters = {
    keyword: address.text("search") || undefined,
    token: wholeKey || undefined,
    status: address.number("status"),
    group: address.text("group") || undefined,
  };
  const sorting = addressSort(address, "created_time");
  const { page, pageSize, pagingOf } = useAddressPaging(address, () => setSelected(NO_ROWS));
  const list = useQuery({
    ...tokenPage({ ...filters, ...sorting.query, page, pageSize }),
    placeholderData: keepPreviousData,
  });
  const rows = list.data?.items;
  const actions = useTokenActions();
  const columns = useTokenColumns(actions.toggle);
  const ticked = rows?.filter(({ id }) => selected[id]) ?? [];
  const clearSelection = useCallback(() => setSelected(NO_ROWS), []);
  const clearFilters = () => {
    setWholeKey("");
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
    selection: { selected, onChange: setSelected },
    actions: (token) => [
      { label: t("tokens.copyKey"), icon: <Copy />, onSelect: () => copy.copy([token]) },
      ...keyChats(token),
      { label: t("tokens.rotate.action"), icon: <Rotate />, onSelect: () => setRotating(token) },
      { label: t("tokens.edit"), icon: <Edit />, onSelect: () => setDrawer({ token }) },
      { label: t("tokens.delete"), icon: <Delete />, onSelect: () => actions.remove([token]), isDangerous: true },
    ],
    columnsKey: "tokens-table-columns",
  });
  return (
    <>
      <PageHeader
        title={t("tokens.title")}
        purpose={t("tokens.purpose")}
        actions={
          <Button variant="contained" color="primary" startIcon={<Add />} onClick={() => setDrawer({ token: null })}>
            {isPhone ? t("tokens.addShort") : t("tokens.add")}
          </Button>
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
        <Box sx={{ color: "text.primary" }}>{t("tokens.warning")}</Box>
      </Row>
      <TokenFilters address={address} model={model} wholeKey={wholeKey} onWholeKey={setWholeKey} />
      <DataTable
        model={model}
        isRefreshing={list.isPlaceholderData}
        error={list.error}
        onRetry={() => list.refetch()}
        empty={<TokensEmpty isFiltered={isFiltered} onClear={clearFilters} onAdd={() => setDrawer({ token: null })} />}
        paging={pagingOf(list.data?.total, t("tokens.unit"))}
        card={(token) => <TokenCard token={token} onToggle={actions.toggle} />}
        onOpen={(token) => setDrawer({ token })}
        isDim={isOff}
      />
      <HowToUse token={rows?.find((token) => !isOff(token))} />
      {ticked.length > 0 && (
        <SelectionBar
          count={ticked.length}
          onClear={clearSelection}
          actions={[
            {
              label: t("tokens.batch.copy", { count: ticked.length }),
              icon: <Copy />,
              onSelect: () => copy.copy(ticked),
            },
            {
              label: t("tokens.batch.delete", { count: ticked.length }),
              icon: <Delete />,
              onSelect: async () => (await actions.remove(ticked)) && clearSelection(),
              isDangerous: true,
            },
          ]}
        />
      )}
      {drawer && <TokenDrawer token={drawer.token} onClose={() => setDrawer(null)} onCreated={setCreated} />}
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
