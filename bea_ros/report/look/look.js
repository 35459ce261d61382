/* Copyright 2026 the bea_ros authors
   SPDX-License-Identifier: Apache-2.0
   What the page of a run and its report share: numbers in words, tables, the robot from above.
   Text goes into the page as text, never as HTML: names come from files and messages. */
"use strict";
const look = (() => {
  const STAGES = ["repertoire", "initial", "bayesian", "evolutionary", "local"];
  const night = window.matchMedia("(prefers-color-scheme: dark)");

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const byId = (id) => document.getElementById(id);

  /** An element with attributes, and texts or elements in it. */
  function make(name, attributes = {}, ...children) {
    const space = ["svg", "g", "path", "polyline", "polygon", "rect", "title"].includes(name);
    const made = space
      ? document.createElementNS("http://www.w3.org/2000/svg", name)
      : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function number(value, digits = 4) {
    if (value === null || value === undefined || !isFinite(value)) return "–";
    const size = Math.abs(value);
    return size && (size < 0.5 * 10 ** -digits || size >= 1e6)
      ? value.toExponential(2) : value.toFixed(digits);
  }

  const timeOfDay = (seconds) => new Date(1000 * seconds).toLocaleTimeString("en-GB");
  const known = (stage) => (STAGES.includes(stage) ? stage : "initial");

  /** The best fitness so far, after each row; null before any was measured. */
  function bestSoFar(rows) {
    let best = null;
    return rows.map((row) => {
      if (!row.givenUp && (best === null || row.fitness > best)) best = row.fitness;
      return best;
    });
  }

  /** The indexes at which a stage begins for the first time: stages may take turns. */
  const changes = (rows) => {
    const seen = new Set(rows.slice(0, 1).map((row) => row.stage));
    return rows.flatMap((row, i) => (seen.has(row.stage) ? [] : (seen.add(row.stage), [i])));
  };

  const ofStage = (rows, stage, value) =>
    rows.map((row, i) => (known(row.stage) === stage ? value(row, i) : null));

  /** What each stage gained and cost, all of its turns together. */
  function stagesOf(rows) {
    const found = new Map(), best = bestSoFar(rows);
    rows.forEach((row, i) => {
      if (!found.has(row.stage)) {
        found.set(row.stage, { stage: row.stage, first: row.number, count: 0, gained: 0, overhead: 0, time: 0 });
      }
      const stage = found.get(row.stage);
      stage.last = row.number; stage.count += 1;
      stage.gained += best[i] - (best[i - 1] ?? best[i]);
      stage.overhead += row.overhead; stage.time += row.overhead + row.onRobot;
    });
    return [...found.values()].map((s) => ({ ...s, gain: s.time ? s.gained / s.time : 0 }));
  }

  function stageTable(place, rows, unit) {
    const head = ["stage", "evaluations", `gained, ${unit}`, `gain, ${unit} per s`, "time, s", "overhead, s"];
    const lines = stagesOf(rows).map((s) => [
      make("span", { class: `stage stage-${known(s.stage)}` }, s.stage),
      s.first === s.last ? `number ${s.first}`
        : `${s.last - s.first + 1 > s.count ? `${s.count} of ` : ""}${s.first} to ${s.last}`,
      number(s.gained), number(s.gain, 6), s.time.toFixed(s.time < 10 ? 2 : 0), s.overhead.toFixed(s.overhead < 10 ? 2 : 0),
    ]);
    place.hidden = !rows.length;
    place.replaceChildren(
      make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...lines.map((l) =>
        make("tr", {}, ...l.map((cell, i) => make("td", { "data-label": head[i] }, cell))))),
    );
  }

  /** The robot from above, in its own frame (m): its modules, and where forward is. */
  function drawRobot(outline, kind = "robot") {
    const nose = Math.max(0.03, 0.35 * Math.max(...outline.flat().map(([x]) => x), 0.1));
    return make("g", { class: kind },
      ...outline.map((corners) => make("polygon", { points: corners.join(" ") })),
      make("polygon", { class: "nose",
        points: `${nose},0 ${-nose / 3},${nose / 2} ${-nose / 3},${-nose / 2}` }));
  }

  /** The arena from above, x to the right, y up, in metres. */
  class Arena {
    constructor(place, { width, depth, markers }, outline) {
      const edge = 0.03 * Math.max(width, depth), [x, y] = [width / 2, depth / 2];
      this.square = Math.max(width, depth) > 8 ? 1 : 0.5; // m
      this.path = make("polyline", { class: "path" });
      this.best = make("polyline", { class: "best" });
      this.robot = drawRobot(outline);
      this.robot.setAttribute("visibility", "hidden");
      const lines = (reach) => {
        const last = Math.ceil(reach / this.square) - 1;
        return Array.from({ length: 2 * last + 1 }, (_, i) => (i - last) * this.square);
      };
      this.scene = make("g", { transform: "scale(1,-1)" },
        make("path", { class: "grid", d: lines(x).map((at) => `M${at},${-y}V${y}`).join("")
          + lines(y).map((at) => `M${-x},${at}H${x}`).join("") }),
        make("rect", { class: "tape", x: -x, y: -y, width, height: depth }),
        ...markers.map(([mx, my, size]) =>
          make("rect", { class: "marker", x: mx - size / 2, y: my - size / 2, width: size, height: size })),
        this.best, this.path, this.robot);
      const box = [-x - edge, -y - edge, width + 2 * edge, depth + 2 * edge];
      place.replaceChildren(make("svg", { class: "arena", viewBox: box.join(" "), role: "img",
        "aria-label": `the arena from above, ${width} by ${depth} m` }, this.scene));
    }

    show(pose, path, best) {
      if (path) this.path.setAttribute("points", path.join(" "));
      if (best) this.best.setAttribute("points", best.join(" "));
      this.robot.setAttribute("visibility", pose ? "visible" : "hidden");
      if (pose) {
        const [x, y, yaw] = pose;
        this.robot.setAttribute("transform", `translate(${x},${y}) rotate(${(yaw * 180) / Math.PI})`);
      }
    }
  }

  return { STAGES, Arena, byId, make, number, colour, night, timeOfDay, known, bestSoFar,
           changes, ofStage, drawRobot, stageTable };
})();
