import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { WALLET_KEY } from "../../api/accounts/wallet-key.ts";
import { exactAmountText, useMoneyFormat } from "../../components/display/Money.tsx";
import { notifyDone } from "../../components/feedback/notify.tsx";
import { Field, Panel, Row } from "../../components/layout.tsx";
import { redeemCode } from "./wallet-calls.ts";

type Props = {
  /** A code from the URL. */
  initialCode: string;
  /** Where codes are sold. */
  link: string;
};

/** Turns a redemption or gift code into balance. */
export const RedeemCard = ({ initialCode, link }: Props) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const client = useQueryClient();
  const [code, setCode] = useState(initialCode);
  const [isMissing, setMissing] = useState(false);
  const redeem = useMutation({
    mutationFn: () => redeemCode(code.trim()),
    onSuccess: async ({ quota, is_gift: isGift, plan }) => {
      setCode("");
      const amount = exactAmountText(quota, format);
      if (plan !== null) {
        notifyDone(t("wallet.redeem.plan", { plan }));
        await client.invalidateQueries({ queryKey: WALLET_KEY });
      } else notifyDone(isGift ? t("wallet.redeem.gift", { amount }) : t("wallet.redeem.done", { amount }));
      await client.invalidateQueries({ queryKey: ["self"] });
    },
  });
  const error = isMissing ? t("wallet.redeem.missing") : redeem.error?.message;
  return (
    <Panel
      title={t("wallet.redeem.title")}
      action={
        link && (
          <Box component="a" href={link} target="_blank" rel="noopener noreferrer" sx={{ fontSize: 12.5 }}>
            {t("wallet.redeem.buy")}
          </Box>
        )
      }
    >
      <Box sx={{ mb: 3, fontSize: 13, color: "text.secondary" }}>{t("wallet.redeem.hint")}</Box>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setMissing(code.trim() === "");
          if (code.trim() !== "") redeem.mutate();
        }}
      >
        <Field label={t("wallet.redeem.label")} htmlFor="code" error={error}>
          <Row>
            <OutlinedInput
              id="code"
              fullWidth
              value={code}
              placeholder={t("wallet.redeem.placeholder")}
              onChange={(event) => {
                setCode(event.target.value);
                setMissing(false);
                redeem.reset();
              }}
              error={Boolean(error)}
              inputProps={{ autoComplete: "off", className: "mono", maxLength: 200 }}
            />
            <Button type="submit" loading={redeem.isPending}>
              {t("wallet.redeem.action")}
            </Button>
          </Row>
        </Field>
      </form>
    </Panel>
  );
};
