// How long somebody was at work on a page: the tab in sight, and not idle for longer than two
// minutes (reading makes no events). Pure: the clock and the events come in from outside.

export const IDLE = 120_000;

export class WorkTime {
  constructor(now, visible = true) {
    Object.assign(this, { total: 0, since: visible ? now : null, last: now });
  }

  /** Somebody did something. */
  touch(now) {
    if (this.since !== null) this.add(now);
    this.last = now;
    if (this.since !== null) this.since = now;
  }

  show(now) { if (this.since === null) { this.since = now; this.last = now; } }

  hide(now) { if (this.since !== null) { this.add(now); this.since = null; } }

  /** Milliseconds until now. */
  read(now) { return Math.round(this.total + (this.since === null ? 0 : this.span(now))); }

  add(now) { this.total += this.span(now); }

  span(now) { return Math.max(0, Math.min(now, this.last + IDLE) - this.since); }
}
