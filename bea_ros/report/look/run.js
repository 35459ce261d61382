/* Copyright 2026 the bea_ros authors
   SPDX-License-Identifier: Apache-2.0
   The page of a run: each evaluation can be looked at, and the best gait moves. */
"use strict";
(() => {
  const { byId, make, number, known } = look;
  const data = JSON.parse(byId("data").textContent);
  const rows = data.rows.map(([n, stage, fitness, overhead, onRobot, gain, givenUp, parameters,
                               measurements, doubted, predicted]) =>
    ({ number: n, stage, fitness, overhead, onRobot, gain, givenUp, parameters, measurements,
       doubted, predicted }));
  let passed = 0;
  for (const row of rows) row.time = passed += row.overhead + row.onRobot;
  const byTime = { label: "computation time, s", of: (row) => row.time, whole: false };
  const unit = () => data.unit;
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  let kept = null;

  const farthest = (points) => Math.max(0, ...points.map(([x, y]) => Math.hypot(x, y)));

  /** Paths in the frame of the start: forward to the right; each with a class of its own.
      There is room for a robot that reaches so far `around` them (m). */
  function pathsView(place, shown, label, around = farthest(data.outline.flat())) {
    const all = shown.flatMap(({ path }) => path).concat([[0, 0]]);
    const [xs, ys] = [0, 1].map((i) => all.flatMap((at) => [at[i] - around, at[i] + around]));
    const size = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys), 0.1);
    const edge = 0.12 * size;
    const box = [Math.min(...xs) - edge, -Math.max(...ys) - edge,
                 Math.max(...xs) - Math.min(...xs) + 2 * edge,
                 Math.max(...ys) - Math.min(...ys) + 2 * edge];
    const unitLength = 10 ** Math.floor(Math.log10(size / 2));
    const bar = size / unitLength > 10 ? 5 * unitLength : size / unitLength > 4 ? 2 * unitLength : unitLength;
    const scene = make("g", { transform: "scale(1,-1)" },
      make("path", { class: "axes", d: `M${box[0]},0H${box[0] + box[2]}M0,${-box[1] - box[3]}V${-box[1]}` }),
      ...shown.map(({ path, kind }) => make("polyline", { class: `walk ${kind}`, points: path.join(" ") })),
      make("path", { class: "scale", d: `M${box[0] + edge / 2},${-box[1] - box[3] + edge / 2}h${bar}` }));
    const svg = make("svg", { class: "arena", viewBox: box.join(" "), role: "img", "aria-label": label }, scene);
    place.replaceChildren(svg, make("p", { class: "note" }, `The bar is ${number(bar, bar < 0.01 ? 3 : 2)} m.`));
    return scene;
  }

  /* One evaluation: pointed at, or kept by a click. */

  function showEvaluation(row) {
    const place = byId("chosen"), path = data.paths[row.number];
    const facts = [
      ["fitness", `${number(row.fitness)} ${data.unit}${row.givenUp ? ", given up: counts as the worst" : ""}`],
      ["stage", make("span", { class: `stage stage-${known(row.stage)}` }, row.stage)],
      ["time taken", `${number(row.onRobot, row.onRobot < 1 ? 3 : 1)} s`], ["overhead", `${number(row.overhead, 3)} s`],
    ];
    if (row.measurements) facts.push(["measured", row.measurements.map((v) => number(v)).join(", ")]);
    if (row.doubted) facts.push(["doubted", row.doubted.map((v) => number(v)).join(", ")]);
    if (row.predicted) facts.push(["predicted", `${number(row.predicted[0])} ± ${number(row.predicted[1])}`]);
    const drawn = make("div");
    const most = Math.max(...row.parameters.map(Math.abs), 1e-9);
    const bars = row.parameters.map((value, i) => {
      const bar = make("i");
      bar.style.transform = `scaleX(${value / most})`;
      return make("div", { class: "joint" }, make("span", {}, data.names[i]),
        make("span", { class: "rail" }, bar), make("span", { class: "angle" }, number(value, 2)));
    });
    place.replaceChildren(
      make("p", { class: "which" }, `no. ${row.number}`, row === kept ? " (kept; click another)" : ""),
      make("dl", { class: "small-facts" }, ...facts.flatMap(([name, value]) =>
        [make("dt", {}, name), make("dd", {}, value)])),
      drawn, make("details", kept === row ? { open: "" } : {},
        make("summary", {}, "CPG weights, 1/s"), ...bars));
    if (path) {
      const scene = pathsView(drawn, [{ path, kind: "now" }], `path of evaluation no. ${row.number}`);
      if (row === kept) walk(scene, path);
    } else drawn.replaceChildren(make("p", { class: "note" }, "No path was recorded."));
  }

  /** The robot goes along a path, once. */
  function walk(scene, path) {
    const robot = look.drawRobot(data.outline);
    scene.append(robot);
    const began = performance.now(), lasts = still.matches ? 0 : 3000;
    const step = (now) => {
      const share = lasts ? Math.min((now - began) / lasts, 1) : 1;
      const at = share * (path.length - 1), i = Math.min(Math.floor(at), path.length - 2);
      const [a, b] = [path[Math.max(i, 0)], path[Math.max(i, 0) + 1] || path[0]];
      robot.setAttribute("transform",
        `translate(${a[0] + (b[0] - a[0]) * (at - i)},${a[1] + (b[1] - a[1]) * (at - i)})`);
      if (share < 1 && robot.isConnected) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  const best = rows.find((row) => row.number === data.best) || rows[0];
  const fitness = charts.fitness(byId("fitness"), unit);
  const shown = [fitness, charts.gain(byId("gain"), unit), charts.overhead(byId("overhead"))];
  if (byId("predicted")) shown.push(charts.predicted(byId("predicted"), unit));
  for (const chart of shown) {
    chart.hovered = (i) => { if (i !== null && i !== undefined && !kept) showEvaluation(rows[i]); };
    chart.chosen = (i) => {
      if (i === null || i === undefined) return;
      kept = kept === rows[i] ? null : rows[i];
      showEvaluation(rows[i]);
    };
    chart.show(rows);
  }
  byId("fitness").addEventListener("keydown", ({ key }) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!step) return;
    const at = Math.min(Math.max(rows.indexOf(kept || best) + step, 0), rows.length - 1);
    kept = rows[at];
    fitness.point(at);
    showEvaluation(kept);
  });
  look.stageTable(byId("stages"), rows, data.unit);
  showEvaluation(best);
  for (const choice of document.querySelectorAll("input[name=over]")) {
    choice.addEventListener("change", () => fitness.over(choice.value === "time" ? byTime : charts.byNumber));
  }

  /* The first, the median and the best path. */

  const walked = rows.filter((row) => data.paths[row.number] && !row.givenUp);
  const ranked = [...walked].sort((a, b) => a.fitness - b.fitness);
  if (ranked.length) {
    const [first] = walked, middle = ranked[ranked.length >> 1];
    const chosen = [["first", first], ["median", middle], ["best", data.paths[best.number] ? best : ranked[ranked.length - 1]]];
    const place = make("div");
    pathsView(place, chosen.map(([kind, row]) => ({ path: data.paths[row.number], kind })),
      "paths of the first, the median and the best evaluation");
    byId("paths").replaceChildren(place, make("ul", { class: "key" }, ...chosen.map(([kind, row]) =>
      make("li", {}, make("i", { class: kind }), `${kind}: no. ${row.number}, ${number(row.fitness)} ${data.unit}`))));
  } else byId("paths").replaceChildren(make("p", { class: "note" }, "No path was recorded."));

  /* The best gait. */

  if (data.gait) {
    const { joints, times, angles, period } = data.gait;
    charts.joints(byId("joints"), joints, times, angles);
    byId("joints").append(make("p", { class: "note" }, `A period is ${number(period, 2)} s.`));
  }

  if (data.film) {
    const { places, shapes, rate } = data.film, place = make("div");
    const path = places.map(([x, y]) => [x, y]);
    const scene = pathsView(place, [{ path, kind: "now" }], "the best gait from above", farthest(shapes.flat(2)));
    const robot = make("g", { class: "robot" });
    const parts = shapes[0].map(() => make("polygon"));
    robot.append(...parts);
    scene.append(robot);
    const draw = (i) => {
      const [x, y, yaw] = places[i];
      robot.setAttribute("transform", `translate(${x},${y}) rotate(${(yaw * 180) / Math.PI})`);
      shapes[i].forEach((corners, k) => parts[k].setAttribute("points", corners.join(" ")));
      slider.value = i;
    };
    const slider = make("input", { type: "range", min: 0, max: places.length - 1, value: 0, "aria-label": "time in the film" });
    const button = make("button", { type: "button" }, "Play");
    let timer = null;
    const stop = () => { clearInterval(timer); timer = null; button.textContent = "Play"; };
    button.addEventListener("click", () => {
      if (timer) return stop();
      button.textContent = "Pause";
      timer = setInterval(() => draw((Number(slider.value) + 1) % places.length), 1000 / rate);
    });
    slider.addEventListener("input", () => { stop(); draw(Number(slider.value)); });
    byId("film").replaceChildren(place, make("div", { class: "player" }, button, slider),
      make("p", { class: "note" }, `The first ${number(places.length / rate, 0)} s, in real time; joints as they were commanded, the body as the camera saw it.`));
    draw(0);
  }
})();
