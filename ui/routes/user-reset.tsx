import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import ButtonBase from "@mui/material/ButtonBase";
import { useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../components/CopyButton.tsx";
import { copyText } from "../components/copy-text.ts";
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
  const token = typeof search.token === "string" ? search.token : "";
  const [isCopied, setCopied] = useState(false);
  const copy = async (password: string) => setCopied(await copyText(password));
  const reset = useMutation({ mutationFn: () => confirmReset(email, token), onSuccess: copy });
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
            <Box sx={{ mb: 2, fontSize: 13, color: "text.secondary" }}>
              {t(isCopied ? "reset.confirm.copied" : "reset.confirm.done")}
            </Box>
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
              <ButtonBase
                onClick={() => copy(reset.data)}
                sx={{ flex: 1, minWidth: 0, justifyContent: "start", textAlign: "start" }}
              >
                <Box component="code" sx={{ minWidth: 0, overflowWrap: "anywhere" }}>
                  {reset.data}
                </Box>
              </ButtonBase>
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
