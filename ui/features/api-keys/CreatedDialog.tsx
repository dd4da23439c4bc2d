import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useTranslation } from "react-i18next";
import { fullKey, type Token } from "../../api/api-keys/api-key.ts";
import { CopyButton } from "../../components/display/CopyButton.tsx";
import { ViewDialog } from "../../components/feedback/FormDialog.tsx";
import { Row } from "../../components/layout.tsx";

/** The keys that were just created, ready to copy. */
export const CreatedDialog = ({ tokens, onClose }: { tokens: readonly Token[]; onClose: () => void }) => {
  const { t } = useTranslation();
  return (
    <ViewDialog
      title={t("apiKeys.created.title", { count: tokens.length })}
      onClose={onClose}
      actions={
        <>
          {tokens.length > 1 && (
            <CopyButton text={tokens.map(fullKey).join("\n")} words={t("apiKeys.created.copyAll")} />
          )}
          <Button variant="contained" color="primary" onClick={onClose}>
            {t("apiKeys.created.done")}
          </Button>
        </>
      }
    >
      <Box sx={{ fontSize: 13, color: "text.secondary", mb: 4 }}>{t("apiKeys.created.body")}</Box>
      <Box
        component="ul"
        sx={{
          m: 0,
          p: 0,
          listStyle: "none",
          maxHeight: 360,
          overflowY: "auto",
          border: "1px solid",
          borderColor: "line.main",
          borderRadius: 1,
        }}
      >
        {tokens.map((token) => (
          <Box
            key={token.id}
            component="li"
            sx={{ px: 3, py: 2, "& + &": { borderTop: "1px solid", borderColor: "line.faint" } }}
          >
            <Box sx={{ fontSize: 12.5, color: "text.secondary" }}>{token.name}</Box>
            <Row gap={2}>
              <Box component="code" sx={{ flex: 1, overflowWrap: "anywhere" }}>
                {fullKey(token)}
              </Box>
              <CopyButton text={fullKey(token)} label={t("apiKeys.copyKey")} />
            </Row>
          </Box>
        ))}
      </Box>
    </ViewDialog>
  );
};
