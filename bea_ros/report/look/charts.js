/* Copyright 2026 the bea_ros authors
   SPDX-License-Identifier: Apache-2.0
   Charts over evaluations, by uPlot. A row is what look.js calls one: an evaluation. */
"use strict";
const charts = (() => {
  const { STAGES, bestSoFar, changes, colour, known, night, number, ofStage } = look;
  const NOTHING = 0.001; // how far an axis goes where all is 0
  const byNumber = { label: "evaluation", of: (row) => row.number, whole: true };

  /** A chart that keeps to its place's width, and to the colours of day and night. */
  class Chart {
    /** `describe(rows)` gives data, series and unit; `x` says what it is over. */
    constructor(place, height, describe, x = byNumber) {
      Object.assign(this, { place, height, describe, x, rows: [], plot: null,
                            hovered: () => {}, chosen: () => {} });
      new ResizeObserver(() => this.fit()).observe(place);
      night.addEventListener("change", () => this.rebuild());
    }

    width() { return Math.max(this.place.clientWidth, 120); }

    fit() {
      if (this.plot && this.plot.width !== this.width()) {
        this.plot.setSize({ width: this.width(), height: this.height });
      }
    }

    over(x) {
      this.x = x;
      this.rebuild();
    }

    data() {
      return [this.rows.map(this.x.of), ...this.describe(this.rows).data];
    }

    show(rows) {
      const stages = new Set(rows.map((row) => known(row.stage))).size;
      this.rows = rows;
      if (!this.plot || stages !== this.stages) return this.rebuild();
      this.plot.setData(this.data());
      this.sayLast();
    }

    /** The legend has the last row's values while none is pointed at. */
    sayLast() {
      if (this.plot.cursor.idx === null) this.plot.setLegend({ idx: this.rows.length - 1 });
    }

    rebuild() {
      this.stages = new Set(this.rows.map((row) => known(row.stage))).size;
      if (this.plot) this.plot.destroy();
      this.plot = null;
      if (!this.rows.length) return;
      const { series, unit, log, bands } = this.describe(this.rows);
      const there = (label) => !STAGES.includes(label) || this.rows.some((row) => known(row.stage) === label);
      for (const one of series) one.class = there(one.label) ? "present" : "absent";
      const axis = {
        stroke: colour("soft"), font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
        labelSize: 18, grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line"), width: 1 },
      };
      const incrs = this.x.whole ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000] } : {};
      const values = (plot, ticks) => ticks.map((tick) => (tick === null ? "" : String(Number(tick.toPrecision(4)))));
      this.plot = new uPlot({
        width: this.width(), height: this.height, padding: [10, 12, 0, 0],
        series: [{ label: this.x.label, value: (plot, value) => (value === null ? "–" : number(value, this.x.whole ? 0 : 1)) },
                 ...series],
        bands: bands || [],
        scales: {
          x: { time: false, range: this.x.whole ? () => this.numbers() : undefined },
          y: log ? { distr: 3 } : { range: (plot, low, high) =>
            (low === 0 && high === 0 ? [0, NOTHING] : uPlot.rangeNum(low, high, 0.1, true)) },
        },
        axes: [{ ...axis, label: this.x.label, size: 34, ...incrs },
               { ...axis, label: unit, values,
                 size: (plot, texts) => 20 + 7.5 * Math.max(5, ...(texts || []).map((text) => text.length)) }],
        cursor: { drag: { x: false, y: false }, points: { size: 8 } },
        hooks: {
          draw: [(plot) => this.mark(plot)],
          setCursor: [(plot) => {
            if (this.plot) this.sayLast();
            this.hovered(plot.cursor.idx);
          }],
        },
      }, this.data(), this.place);
      this.sayLast();
      this.plot.over.addEventListener("click", () => this.chosen(this.plot.cursor.idx));
    }

    /** From the first evaluation's number to the last one's, and room for a few. */
    numbers() {
      const [first, last] = [this.rows[0], this.rows[this.rows.length - 1]].map(this.x.of);
      return [first - 0.5, Math.max(last, first + 4) + 0.5];
    }

    /** Points at a row, as a pointer does. */
    point(i) {
      const left = this.plot.valToPos(this.x.of(this.rows[i]), "x");
      this.plot.setCursor({ left, top: this.plot.over.clientHeight / 2 });
    }

    /** Lines where another stage begins. */
    mark(plot) {
      const { ctx, bbox } = plot, ratio = window.devicePixelRatio;
      ctx.save();
      ctx.setLineDash([4 * ratio, 4 * ratio]);
      ctx.lineWidth = ratio;
      for (const i of changes(this.rows)) {
        const between = (this.x.of(this.rows[i]) + this.x.of(this.rows[i - 1])) / 2;
        const x = plot.valToPos(between, "x", true);
        ctx.strokeStyle = colour(known(this.rows[i].stage));
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
      }
      ctx.restore();
    }
  }

  const points = (label, name, text) => ({
    label, stroke: colour(name), width: 0, paths: () => null, value: text,
    points: { show: true, size: 6, fill: colour(name), stroke: colour(name) },
  });
  const line = (label, name, text) => ({
    label, stroke: colour(name), width: 2, value: text, points: { show: false },
  });
  const inDigits = (digits) => (plot, value) => number(value, digits);

  /** Each fitness, by stage, and the best so far. */
  const fitness = (place, unit) => new Chart(place, Number(place.dataset.height), (rows) => ({
    unit: `fitness, ${unit()}`,
    data: [bestSoFar(rows), ...STAGES.map((stage) => ofStage(rows, stage, (row) => row.fitness))],
    series: [
      { ...line("best", "best", inDigits(4)), fill: `${colour("bayesian")}14`, paths: uPlot.paths.stepped({ align: 1 }) },
      ...STAGES.map((stage) => points(stage, stage, inDigits(4))),
    ],
  }));

  /** Gain per second over the last ten evaluations, by stage. */
  const gain = (place, unit) => new Chart(place, 220, (rows) => ({
    unit: `gain, ${unit()} per s`,
    data: STAGES.map((stage) => ofStage(rows, stage, (row) => row.gain)),
    series: STAGES.map((stage) => ({ ...line(stage, stage, inDigits(6)), spanGaps: true, fill: `${colour(stage)}22` })),
  }));

  /** What the optimizer took for each evaluation, by stage; on a logarithmic scale. */
  const overhead = (place) => new Chart(place, 220, (rows) => ({
    unit: "overhead, ms", log: true,
    data: STAGES.map((stage) => ofStage(rows, stage, (row) => Math.max(1000 * row.overhead, 0.001))),
    series: STAGES.map((stage) => points(stage, stage, inDigits(1))),
  }));

  /** What the optimizer expected of each candidate, two deviations about it, and what came. */
  const predicted = (place, unit) => new Chart(place, 240, (rows) => {
    const part = (value) => rows.map((row) => (row.predicted ? value(row.predicted) : null));
    const band = { stroke: "transparent", width: 0, points: { show: false }, value: inDigits(4) };
    return {
      unit: `fitness, ${unit()}`,
      bands: [{ series: [1, 2], fill: `${colour("soft")}33` }],
      data: [part(([mean, deviation]) => mean + 2 * deviation), part(([mean, deviation]) => mean - 2 * deviation),
             part(([mean]) => mean), rows.map((row) => (row.predicted ? row.fitness : null))],
      series: [{ ...band, label: "at most" }, { ...band, label: "at least" },
               line("predicted", "soft", inDigits(4)), points("measured", "evolutionary", inDigits(4))],
    };
  });

  /** Angles (rad) of joints over time (s). */
  function joints(place, names, times, angles) {
    const hue = (i) => `hsl(${Math.round((360 * i) / names.length)} 65% ${night.matches ? 65 : 42}%)`;
    const degrees = angles.map((one) => one.map((angle) => (180 * angle) / Math.PI));
    return new Chart(place, 240, () => ({
      unit: "angle, degrees", data: degrees,
      series: names.map((name, i) => ({
        label: name, stroke: hue(i), width: 2, points: { show: false }, value: inDigits(1) })),
    }), { label: "time, s", of: (row) => row.time, whole: false }).show(times.map((time) => ({ time, stage: "" })));
  }

  return { byNumber, fitness, gain, overhead, predicted, joints };
})();
