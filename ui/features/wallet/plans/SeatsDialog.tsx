import Box from "@mui/material/Box";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ChangePreview } from "../../../../src/domain/wallet/plans/changes/change-subscription.ts";
import type { SubscriptionView } from "../../../../src/domain/wallet/plans/plans.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { Col, Field } from "../../../components/layout.tsx";
import { useConfirmedChange } from "./offer/use-change.ts";

/** Whether text is a number of seats, at least those of the plan; how many there can be the server says. */
export const isSeats = (text: string, least: number): boolean => /^\d{1,9}$/.test(text.trim()) && Number(text) >= least;

type SeatsFieldProps = Readonly<{
  least: number;
  /** Quota units of each further seat. */
  seatPrice: number;
  value: string;
  onChange: (value: string) => void;
  /** What the server refused. */
  problem?: string | null;
}>;

/** How many seats an organization has in all. */
export const SeatsField = ({ least, seatPrice, value, onChange, problem = null }: SeatsFieldProps) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const isWrong = !isSeats(value, least);
  return (
    <Field
      label={t("plans.seatsField")}
      htmlFor="subscription-seats"
      hint={t("plans.seatsHint", { least, price: amountText(seatPrice, format) })}
      error={isWrong ? t("plans.seatsInvalid", { least }) : problem}
    >
      <OutlinedInput
        id="subscription-seats"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        error={isWrong}
        inputProps={{ inputMode: "numeric", className: "num" }}
        sx={{ width: 110 }}
      />
    </Field>
  );
};

type SeatsDialogProps = Readonly<{ subscription: SubscriptionView; least: number; onClose: () => void }>;

/** Changes how many seats a subscription of an organization has, after it has said what that costs. */
export const SeatsDialog = ({ subscription: own, least, onClose }: SeatsDialogProps) => {
  const { t } = useTranslation();
  const [entered, setEntered] = useState(String(own.next_seats ?? own.seats ?? least));
  const seats = useSettled(isSeats(entered, least) ? Number(entered) : 0);
  // What is shown must be of what is entered.
  const isChange = seats > 0 && seats !== (own.next_seats ?? own.seats) && seats === Number(entered);
  const { preview, shown, texts, confirm, submit } = useConfirmedChange(own.id, isChange ? { seats } : null, onClose);
  return (
    <FormDialog
      title={t("plans.seatsTitle", { name: own.plan_name })}
      action={t(shown?.pays === "paypal" ? "plans.toCard" : "plans.seatsChange")}
      isBusy={confirm.isPending}
      isDisabled={!shown}
      onClose={onClose}
      onSubmit={submit}
    >
      <Col gap={4}>
        <SeatsField
          least={least}
          seatPrice={own.seat_price}
          value={entered}
          onChange={setEntered}
          problem={confirm.error?.message ?? preview.error?.message ?? null}
        />
        <Box role="status" sx={{ fontSize: 13, minHeight: 40 }}>
          {shown && texts && t(textOf(shown), texts)}
        </Box>
      </Col>
    </FormDialog>
  );
};

const SETTLED_MS = 400;

/** The value once nobody has changed it for a moment: services are asked what it costs. */
function useSettled(value: number): number {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

const textOf = ({ pays, starts }: ChangePreview) => {
  if (pays === "paypal") return "plans.seatsPaypal";
  if (starts === "next_period") return "plans.seatsFewer";
  return pays === "stripe" ? "plans.seatsCardMore" : "plans.seatsMore";
};
