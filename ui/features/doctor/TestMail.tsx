import Button from "@mui/material/Button";
import TextField from "@mui/material/TextField";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Row } from "../../components/layout.tsx";
import { notifyDone, notifyError } from "../../components/notify.tsx";
import { sendTestMail } from "./doctor-calls.ts";

/** Sends a mail to an address, to see it arrive. */
export const TestMail = () => {
  const { t } = useTranslation();
  const [to, setTo] = useState("");
  const send = useMutation({ mutationFn: sendTestMail, onSuccess: notifyDone, onError: notifyError });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate(to.trim());
  };
  return (
    <form onSubmit={submit}>
      <Row wrap sx={{ mt: 2 }}>
        <TextField
          type="email"
          required
          value={to}
          onChange={({ target }) => setTo(target.value)}
          placeholder={t("doctor.mail.to")}
          sx={{ flex: 1, minWidth: 180, maxWidth: 320 }}
          slotProps={{ htmlInput: { "aria-label": t("doctor.mail.to"), maxLength: 320 } }}
        />
        <Button type="submit" loading={send.isPending}>
          {t("doctor.mail.send")}
        </Button>
      </Row>
    </form>
  );
};
