ALTER TABLE "plan_orders" ADD COLUMN "extra_seats" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "seats" integer;--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "seat_price" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "extra_seats" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "next_extra_seats" integer;--> statement-breakpoint
ALTER TABLE "plans" ADD CONSTRAINT "plans_seats_positive" CHECK (seats is null or seats > 0);--> statement-breakpoint
ALTER TABLE "plans" ADD CONSTRAINT "plans_seat_price_not_negative" CHECK (seat_price >= 0);--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_seats_not_negative" CHECK ("subscriptions"."extra_seats" >= 0 and coalesce("subscriptions"."next_extra_seats", 0) >= 0);