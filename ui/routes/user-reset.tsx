import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../components/CopyButton.tsx";
import { Col, Row } from "../components/layout.tsx";
import { EntryCard } from "../features/login/EntryCard.tsx";
import { EntryLinks } from "../features/login/EntryLinks.tsx";
import { confirmReset } from "../features/reset/reset-calls.ts";

const CARD_WIDTH = 400;

/** Where the link of the reset mail leads: only the button uses it, lest a mail scanner's visit does. */
export function UserResetPage() {
  const { t } = useTranslation();
  const search: { email?: unknown; token?: unknown } = useSearch({ strict: false });
  const email = typeof search.email === "string" ? search.email : "";
  // A token of digits alone arrives as a number, and loses those in front.
  const token = new URLSearchParams(window.location.search).get("token") ?? "";
  const reset = useMutation({ mutationFn: () => confirmReset(email, token) });
  const isLink = email !== "" && token !== "";
  return (
    <EntryCard title={t("reset.confirm.title")} purpose={t("reset.confirm.purpose")} maxWidth={CARD_WIDTH}>
      <Col gap={4}>
        {!isLink && <Alert severity="error">{t("reset.confirm.noLink")}</Alert>}
        {reset.error && (
          <Alert role="alert" severity="error">
            {reset.error.message}
          </Alert>
        )}
        {reset.data ? (
          <Box role="status">
            <Box sx={{ mb: 2, fontSize: 13, color: "text.secondary" }}>{t("reset.confirm.done")}</Box>
            <Row
              sx={{
                p: 2,
                pl: 3,
                border: "1px solid",
                borderColor: "tone.ok.line",
                bgcolor: "tone.ok.tint",
                borderRadius: 1,
              }}
            >
              <Box component="code" sx={{ flex: 1, minWidth: 0, overflowWrap: "anywhere" }}>
                {reset.data}
              </Box>
              <CopyButton text={reset.data} />
            </Row>
          </Box>
        ) : (
          isLink && (
            <>
              <Box sx={{ fontSize: 13, overflowWrap: "anywhere" }}>{email}</Box>
              <Button
                variant="contained"
                color="primary"
                fullWidth
                loading={reset.isPending}
                onClick={() => reset.mutate()}
                sx={{ height: 36 }}
              >
                {t("reset.confirm.submit")}
              </Button>
            </>
          )
        )}
      </Col>
      <EntryLinks to={["/login"]} />
    </EntryCard>
  );
}
