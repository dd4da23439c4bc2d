import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import ButtonBase from "@mui/material/ButtonBase";
import InputAdornment from "@mui/material/InputAdornment";
import OutlinedInput from "@mui/material/OutlinedInput";
import Skeleton from "@mui/material/Skeleton";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { TopUpWays } from "../../../src/domain/wallet/orders/payment-methods.ts";
import { useAccount } from "../../api/accounts/use-organization.ts";
import { WALLET_KEY } from "../../api/accounts/wallet-key.ts";
import { amountText, useMoneyFormat } from "../../components/display/Money.tsx";
import { useConfirm } from "../../components/feedback/confirm.tsx";
import { ErrorState } from "../../components/feedback/ErrorState.tsx";
import { notifyError } from "../../components/feedback/notify.tsx";
import { SettingLink } from "../../components/feedback/SettingLink.tsx";
import { Field, Panel, Row } from "../../components/layout.tsx";
import { useAddress } from "../../components/use-address.ts";
import { moneyText } from "../../lib/format/money.ts";
import { formatNumber } from "../../lib/format/number.ts";
import { useSession } from "../../state/session.ts";
import { isSuperAdmin } from "../../state/stored-user.ts";
import { methodName } from "./orders/method-name.ts";
import { PayCodeDialog } from "./orders/PayCodeDialog.tsx";
import { paymentOptions, postForm, priceOf, startPayment, timesPrice } from "./wallet-calls.ts";

/** Buys quota online; says so if payments are not configured. */
export const TopUpCard = () => {
  const { t, i18n } = useTranslation();
  const format = useMoneyFormat();
  const { data, error, refetch } = useQuery(paymentOptions);
  const { user } = useSession();
  const first = data?.ways[0];
  const minimum = data && amountText(format.inCurrency ? data.minimum * format.quotaPerUnit : data.minimum, format);
  return (
    <Panel
      title={t("wallet.topUp.title")}
      hint={
        first &&
        t("wallet.topUp.price", {
          price: moneyText(first.price, first.currency, i18n.language),
          minimum: minimum ?? "",
        })
      }
    >
      {!data ? (
        error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton variant="rounded" height={160} />
        )
      ) : data.ways.length === 0 ? (
        <Box sx={{ fontSize: 13, color: "text.secondary" }}>
          {data.link ? t("wallet.topUp.byLink") : t("wallet.topUp.off")}
          <Box sx={{ mt: 2 }}>
            {data.link ? (
              <a href={data.link} target="_blank" rel="noopener noreferrer">
                {t("wallet.redeem.buy")}
              </a>
            ) : (
              t(isSuperAdmin(user) ? "wallet.topUp.setUp" : "wallet.topUp.noLink")
            )}
          </Box>
          <Box sx={{ mt: 3 }}>
            <SettingLink tab="system" field="payment" />
          </Box>
        </Box>
      ) : (
        <TopUpForm ways={data.ways} minimum={data.minimum} />
      )}
    </Panel>
  );
};

/** Dollars. */
const PICKS = [5, 10, 20, 50, 100, 500];

/** Amount, payment method and price; `minimum` is in dollars, or in quota units if the site shows those. */
const TopUpForm = ({ ways: options, minimum }: Pick<TopUpWays, "ways" | "minimum">) => {
  const { t, i18n } = useTranslation();
  const format = useMoneyFormat();
  const confirm = useConfirm();
  const client = useQueryClient();
  const address = useAddress();
  const unit = format.inCurrency ? 1 : format.quotaPerUnit;
  const picks = PICKS.map((pick) => pick * unit).filter((pick) => pick >= minimum);
  const [text, setText] = useState(String(Math.max(minimum, 10 * unit)));
  const offered = options.map(({ method }) => method);
  const [chosen, setChosen] = useState(options[0]?.method ?? "zfb");
  const [code, setCode] = useState("");
  const way = options.find(({ method }) => method === chosen) ?? options[0];
  const amount = Number(text);
  const isWrong = text.trim() === "" || !Number.isInteger(amount) || amount < minimum;
  const price = useQuery({
    ...priceOf(amount, chosen),
    enabled: !isWrong,
    placeholderData: keepPreviousData,
  });
  const { data: account } = useAccount();
  const pay = useMutation({
    mutationFn: () => startPayment(amount, chosen),
    onSuccess: ({ url, fields, isCode }) => {
      if (isCode) return setCode(url);
      return Object.keys(fields).length > 0 ? postForm(url, fields) : window.location.assign(url);
    },
    onError: notifyError,
  });
  const quota = format.inCurrency ? amount * format.quotaPerUnit : amount;
  const due = price.data && way && !isWrong ? moneyText(price.data.money, way.currency, i18n.language) : "";
  const tax = due === "" ? null : (price.data?.tax ?? null);
  const ask = async () => {
    const isSure = await confirm({
      title: t("wallet.topUp.confirmTitle"),
      body: t("wallet.topUp.confirmBody", {
        amount: amountText(quota, format),
        price: due,
        method: methodName(chosen, offered, t),
      }),
      action: t("wallet.topUp.pay", { price: due }),
    });
    if (isSure) pay.mutate();
  };
  const error = isWrong ? t("wallet.topUp.tooSmall", { minimum }) : price.error?.message;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (due !== "") void ask();
      }}
    >
      <Box
        role="group"
        aria-label={t("wallet.topUp.picks")}
        sx={{ display: "grid", gap: 2, gridTemplateColumns: "repeat(auto-fill, minmax(88px, 1fr))" }}
      >
        {picks.map((pick) => (
          <Choice key={pick} isChosen={pick === amount} onChoose={() => setText(String(pick))}>
            {amountText(format.inCurrency ? pick * format.quotaPerUnit : pick, format, 0)}
            {way && (
              <Box component="span" className="num" sx={{ fontSize: 12, fontWeight: 400, color: "text.secondary" }}>
                {moneyText(timesPrice(way.price, pick / unit), way.currency, i18n.language)}
              </Box>
            )}
          </Choice>
        ))}
      </Box>
      <Row gap={4} wrap sx={{ mt: 4, alignItems: "flex-start", rowGap: 4 }}>
        <Field label={t("wallet.topUp.amount")} htmlFor="amount" error={error} sx={{ flex: "1 1 220px" }}>
          <OutlinedInput
            id="amount"
            fullWidth
            value={text}
            onChange={(event) => setText(event.target.value)}
            onBlur={() => amount >= 1 || setText("1")}
            error={Boolean(error)}
            inputProps={{ inputMode: "numeric", className: "num", autoComplete: "off" }}
            startAdornment={format.inCurrency && <InputAdornment position="start">$</InputAdornment>}
            endAdornment={
              <InputAdornment position="end">
                <Box component="span" className="num" sx={{ fontSize: 12.5, color: "text.secondary" }}>
                  {!isWrong && format.inCurrency && t("wallet.units", { units: formatNumber(quota) })}
                </Box>
              </InputAdornment>
            }
          />
        </Field>
        <Box sx={{ flex: "1 1 260px" }}>
          <Box id="pay-with" sx={{ mb: 1.25, fontSize: 12.5, lineHeight: "18px", fontWeight: 550 }}>
            {t("wallet.topUp.method")}
          </Box>
          <Box role="group" aria-labelledby="pay-with" sx={{ display: "flex", flexWrap: "wrap", gap: 2 }}>
            {options.map(({ method }) => (
              <Choice key={method} isChosen={method === chosen} onChoose={() => setChosen(method)} isLow>
                {methodName(method, offered, t)}
              </Choice>
            ))}
          </Box>
        </Box>
      </Row>
      <Row sx={{ mt: 4, pt: 4, borderTop: "1px solid", borderColor: "line.faint" }}>
        <Box sx={{ flex: 1, fontSize: 13, color: "text.secondary" }}>
          {account && !isWrong && t("wallet.topUp.after", { amount: amountText(account.quota + quota, format) })}
          {tax && way && (
            <div>
              {tax.isReverseCharge
                ? t("wallet.topUp.reverseCharge", { id: tax.taxId })
                : t("wallet.topUp.tax", {
                    tax: moneyText(tax.amount, way.currency, i18n.language),
                    rate: tax.rate,
                    country: tax.country,
                  })}
            </div>
          )}
        </Box>
        <Button
          type="submit"
          variant="contained"
          color="primary"
          loading={pay.isPending}
          disabled={due === "" || Boolean(error)}
        >
          {due === "" ? t("wallet.topUp.payShort") : t("wallet.topUp.pay", { price: due })}
        </Button>
      </Row>
      <PayCodeDialog
        code={code}
        body={t("wallet.topUp.codeBody", { method: methodName(chosen, offered, t), price: due })}
        onClose={() => {
          setCode("");
          // What was paid is among the orders, as it is after a payment on another site.
          address.set({ list: "orders" });
          void client.invalidateQueries({ queryKey: WALLET_KEY });
        }}
      />
    </form>
  );
};

type ChoiceProps = { isChosen: boolean; isLow?: boolean; onChoose: () => void; children: ReactNode };

const Choice = ({ isChosen, isLow = false, onChoose, children }: ChoiceProps) => (
  <ButtonBase
    type="button"
    aria-pressed={isChosen}
    onClick={onChoose}
    sx={{
      flex: 1,
      px: 2,
      height: isLow ? 32 : 56,
      flexDirection: "column",
      borderRadius: "7px",
      fontFamily: "inherit",
      fontSize: isLow ? 13 : 14.5,
      fontWeight: isLow ? 550 : 620,
      whiteSpace: "nowrap",
      border: "1px solid",
      borderColor: isChosen ? "primary.main" : "line.strong",
      boxShadow: (theme) => (isChosen ? `inset 0 0 0 1px ${theme.vars?.palette.primary.main}` : "none"),
      bgcolor: isChosen ? "surface.sunken" : "surface.paper",
    }}
  >
    {children}
  </ButtonBase>
);
