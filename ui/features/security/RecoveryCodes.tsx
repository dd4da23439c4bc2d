import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../components/CopyButton.tsx";
import { Col, Row } from "../../components/layout.tsx";

/** The recovery codes, the one time they can be read. */
export const RecoveryCodes = ({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) => {
  const { t } = useTranslation();
  return (
    <Col gap={3} sx={{ alignItems: "flex-start" }}>
      <Box sx={{ fontSize: 13 }}>{t("security.totp.recoveryShown")}</Box>
      <Box
        role="status"
        sx={{
          display: "grid",
          gridTemplateColumns: "repeat(2, max-content)",
          columnGap: 6,
          rowGap: 1,
          p: 3,
          border: "1px solid",
          borderColor: "tone.ok.line",
          bgcolor: "tone.ok.tint",
          borderRadius: 1,
        }}
      >
        {codes.map((code) => (
          <code key={code}>{code}</code>
        ))}
      </Box>
      <Row>
        <CopyButton text={codes.join("\n")} />
        <Button variant="contained" color="primary" onClick={onDone}>
          {t("security.totp.recoverySaved")}
        </Button>
      </Row>
    </Col>
  );
};
