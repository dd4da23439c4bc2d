import Key from "@mui/icons-material/KeyOutlined";
import Button from "@mui/material/Button";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../../components/EmptyState.tsx";

type TokensEmptyProps = Readonly<{ isFiltered: boolean; onClear: () => void; onAdd: () => void }>;

/** No key at all, or none that fits what is searched for. */
export const TokensEmpty = ({ isFiltered, onClear, onAdd }: TokensEmptyProps) => {
  const { t } = useTranslation();
  if (isFiltered) {
    return (
      <EmptyState
        icon={<Key />}
        title={t("tokens.empty.filteredTitle")}
        body={t("tokens.empty.filteredBody")}
        action={<Button onClick={onClear}>{t("components.filter.clear")}</Button>}
      />
    );
  }
  return (
    <EmptyState
      icon={<Key />}
      title={t("tokens.empty.title")}
      body={t("tokens.empty.body")}
      action={
        <Button variant="contained" color="primary" onClick={onAdd}>
          {t("tokens.add")}
        </Button>
      }
    />
  );
};
