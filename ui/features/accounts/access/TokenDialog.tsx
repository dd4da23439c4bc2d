import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { ViewDialog } from "../../../components/feedback/FormDialog.tsx";
import { Row } from "../../../components/layout.tsx";

type TokenDialogProps = Readonly<{ title: string; token: string; onClose: () => void }>;

/** A token that was just created: it is shown this once. */
export const TokenDialog = ({ title, token, onClose }: TokenDialogProps) => {
  const { t } = useTranslation();
  return (
    <ViewDialog
      title={title}
      onClose={onClose}
      actions={
        <Button variant="contained" color="primary" onClick={onClose}>
          {t("access.token.done")}
        </Button>
      }
    >
      <Box sx={{ fontSize: 13, color: "text.secondary", mb: 4 }}>{t("access.token.once")}</Box>
      <Row gap={2} sx={{ p: 3, border: "1px solid", borderColor: "line.main", borderRadius: 1 }}>
        <Box component="code" sx={{ flex: 1, minWidth: 0, overflowWrap: "anywhere" }}>
          {token}
        </Box>
        <CopyButton text={token} label={t("access.token.copy")} />
      </Row>
    </ViewDialog>
  );
};
