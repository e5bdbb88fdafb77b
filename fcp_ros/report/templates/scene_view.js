// SPDX-License-Identifier: Apache-2.0
// The 3D view of a scene: WebGL 2, all boxes of a kind in one instanced call, drawn on demand only.
// Data: {kinds: [{name, colour, on, lines, clear}], nodes: [[id, label, type, kind, x, y, z, sx, sy,
// sz, qx, qy, qz, qw, name]], rooms: [{name, low, high, outline: [x, y, ...]}],
// relations: [{name, on, ends: [from, to, ...]}]}
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("scene-data").textContent);
  const stage = document.getElementById("stage");
  const canvas = stage.querySelector("canvas.boxes");
  const overlay = stage.querySelector("canvas.names");
  const tip = stage.querySelector(".tip");
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
  if (!gl) {
    stage.querySelector(".nothing").hidden = false;
    return;
  }
  // Numbers of the GPU have seven digits: far from the origin of the map they are taken from the middle.
  const origin = [0, 1, 2].map((i) => {
    const all = data.nodes.map((node) => node[4 + i]);
    return all.length ? (all.reduce((a, b) => Math.min(a, b)) + all.reduce((a, b) => Math.max(a, b))) / 2 : 0;
  });
  for (const node of data.nodes) for (let i = 0; i < 3; i++) node[4 + i] -= origin[i];
  for (const room of data.rooms) {
    room.outline = room.outline.map((x, i) => x - origin[i % 2]);
    room.low -= origin[2];
    room.high -= origin[2];
  }
  const ROOM = data.kinds.findIndex((kind) => kind.name === "rooms");
  const css = (name) => getComputedStyle(stage).getPropertyValue(name).trim();
  const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
  const relationColours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9"];

  // --- vectors and matrices (column-major)
  const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) =>
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => { const n = Math.hypot(...a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
  const rotate = (q, v) => { // by the quaternion x, y, z, w
    const c = cross(q, v);
    return add(v, cross(q, add(c, v, q[3])), 2);
  };
  const times = (m, p) =>
    [0, 1, 2, 3].map((i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]);

  // --- programs
  const program = (vertex, fragment, names) => {
    const made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, "#version 300 es\nprecision highp float;\n" + text);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    names.forEach((name, place) => gl.bindAttribLocation(made, place, name));
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw Error(gl.getProgramInfoLog(made));
    return { made, at: (name) => gl.getUniformLocation(made, name) };
  };
  const boxes = program(
    `in vec3 corner, face, centre, extent; in vec4 turn; uniform mat4 view; out float light;
     vec3 turned(vec3 v) { return v + 2. * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v); }
     void main() {
       light = .74 + .26 * dot(turned(face), normalize(vec3(.3, .45, 1.)));
       gl_Position = view * vec4(centre + turned(corner * extent), 1.);
     }`,
    `in float light; uniform vec4 colour; out vec4 shown;
     void main() { shown = vec4(colour.rgb * light, colour.a); }`,
    ["corner", "face", "centre", "extent", "turn"]);
  const plain = program(
    "in vec3 place; uniform mat4 view; void main() { gl_Position = view * vec4(place, 1.); }",
    "uniform vec4 colour; out vec4 shown; void main() { shown = colour; }", ["place"]);

  const buffer = (values) => {
    const made = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, made);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
    return made;
  };
  const attribute = (place, size, stride, offset, every = 0) => {
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, gl.FLOAT, false, 4 * stride, 4 * offset);
    gl.vertexAttribDivisor(place, every);
  };

  // --- a unit cube: faces as triangles, and its edges as lines
  const faces = [], edges = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-0.5, 0.5]) {
      const corner = (u, v) => {
        const p = [0, 0, 0];
        p[axis] = side; p[(axis + 1) % 3] = u; p[(axis + 2) % 3] = v;
        return p;
      };
      const normal = [0, 0, 0];
      normal[axis] = 2 * side;
      const [a, b, c, d] = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]
        .map(([u, v]) => corner(u, v));
      for (const p of [a, b, c, a, c, d]) faces.push(...p, ...normal);
    }
    for (const [u, v] of [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
      for (const along of [-0.5, 0.5]) {
        const p = [u, u, u];
        p[axis] = along; p[(axis + 2) % 3] = v;
        edges.push(...p, 0, 0, 1);
      }
  }
  const faceBuffer = buffer(faces), edgeBuffer = buffer(edges);
  const instances = (shape, list) => { // centre, extent, turn of each node
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, shape);
    attribute(0, 3, 6, 0); attribute(1, 3, 6, 3);
    buffer(list.flatMap((node) => node.slice(4, 14)));
    attribute(2, 3, 10, 0, 1); attribute(3, 3, 10, 3, 1); attribute(4, 4, 10, 6, 1);
    return { array, count: list.length };
  };
  const shape = (values) => {
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    buffer(values);
    attribute(0, 3, 3, 0);
    return { array, count: values.length / 3 };
  };
  const solids = data.kinds.map((kind, index) => {
    const list = index === ROOM ? [] : data.nodes.filter((node) => node[3] === index);
    return { kind, faces: instances(faceBuffer, list), edges: instances(edgeBuffer, list) };
  });

  // --- rooms: floor, see-through walls, and outlines at the bottom and the top
  const triangles = (outline) => { // by cutting off ears; a bad outline leaves some area out
    const left = [], cut = [];
    for (let i = 0; i < outline.length; i += 2) left.push([outline[i], outline[i + 1]]);
    const side = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let area = 0;
    for (let i = 2; i < left.length; i++) area += side(left[0], left[i - 1], left[i]);
    if (area < 0) left.reverse();
    const isEar = (a, b, c) => side(a, b, c) > 0 && !left.some((p) => p !== a && p !== b
      && p !== c && side(a, b, p) >= 0 && side(b, c, p) >= 0 && side(c, a, p) >= 0);
    while (left.length > 2) {
      const n = left.length;
      const i = left.findIndex((b, j) => isEar(left[(j + n - 1) % n], b, left[(j + 1) % n]));
      if (i < 0) break;
      cut.push(left[(i + n - 1) % n], left[i], left[(i + 1) % n]);
      left.splice(i, 1);
    }
    return cut;
  };
  const crossings = (corners, y) => { // where a level line meets an outline of [x, y]
    const found = [];
    corners.forEach((a, i) => {
      const b = corners[(i + 1) % corners.length];
      if (a[1] > y !== b[1] > y) found.push(a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]));
    });
    return found;
  };
  const listPlaces = (outline, level) => { // points of a grid in a room, where its name may stand
    const corners = [], found = [];
    for (let i = 0; i < outline.length; i += 2) corners.push([outline[i], outline[i + 1]]);
    const [xs, ys] = [0, 1].map((axis) => {
      const all = corners.map((corner) => corner[axis]);
      const [least, most] = [Math.min(...all), Math.max(...all)];
      return [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8].map((part) => least + part * (most - least));
    });
    for (const y of ys)
      for (const x of xs)
        if (crossings(corners, y).filter((u) => u > x).length % 2) found.push([x, y, level]);
    return found;
  };
  const walls = [], outlines = [], floors = [];
  for (const room of data.rooms) {
    const { low, high, outline } = room, cut = triangles(outline);
    for (const [x, y] of cut) floors.push(x, y, low);
    room.places = listPlaces(outline, low);
    for (let i = 0; i < outline.length; i += 2) {
      const j = (i + 2) % outline.length;
      const [x, y, u, v] = [outline[i], outline[i + 1], outline[j], outline[j + 1]];
      walls.push(x, y, low, u, v, low, u, v, high, x, y, low, u, v, high, x, y, high);
      outlines.push(x, y, low, u, v, low, x, y, high, u, v, high, x, y, low, x, y, high);
    }
  }
  const floorShape = shape(floors), wallShape = shape(walls), outlineShape = shape(outlines);

  // --- relations: lines from centre to centre, or straight to what something is on
  const nearest = (place, box) => { // the point of a box nearest to a place outside of it
    const turn = box.slice(10, 14), middle = box.slice(4, 7);
    const local = rotate([-turn[0], -turn[1], -turn[2], turn[3]], add(place, middle, -1));
    const kept = local.map((x, i) => Math.max(-box[7 + i] / 2, Math.min(box[7 + i] / 2, x)));
    const inside = kept.every((x, i) => x === local[i]);
    return inside ? middle : add(middle, rotate(turn, kept));
  };
  const relations = data.relations.map(({ name, on, ends }, index) => {
    const lines = [];
    for (let i = 0; i < ends.length; i += 2) {
      const [one, other] = [data.nodes[ends[i]], data.nodes[ends[i + 1]]];
      const place = one.slice(4, 7);
      lines.push(...place, ...(name.startsWith("on") ? nearest(place, other) : other.slice(4, 7)));
    }
    return { name, on, count: ends.length / 2, shape: shape(lines),
      colour: rgb(relationColours[index % relationColours.length]) };
  });

  // --- the camera goes round a point; at first everything that is shown is in the picture
  const listCorners = () => {
    const corners = [];
    for (const node of data.nodes) {
      if (node[3] === ROOM || !data.kinds[node[3]].on) continue;
      for (let c = 0; c < 8; c++) {
        const half = [0, 1, 2].map((i) => (c >> i & 1 ? 0.5 : -0.5) * node[7 + i]);
        corners.push(add(node.slice(4, 7), rotate(node.slice(10, 14), half)));
      }
    }
    for (const { outline, low, high } of data.rooms)
      for (let i = 0; i < outline.length; i += 2)
        corners.push([outline[i], outline[i + 1], low], [outline[i], outline[i + 1], high]);
    return corners.length ? corners : data.nodes.map((node) => node.slice(4, 7));
  };
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const corner of listCorners()) corner.forEach((x, i) => {
    low[i] = Math.min(low[i], x); high[i] = Math.max(high[i], x);
  });
  const span = Math.max(Math.hypot(...high.map((x, i) => x - low[i])) || 0, 0.01);
  const FILLED = 0.9; // the share of the picture that the scene takes
  const camera = {};
  let atHome = true; // until somebody moves the camera
  const home = (elevation) => {
    Object.assign(camera, {
      target: low.map((x, i) => (x + high[i]) / 2 || 0), distance: span,
      azimuth: -Math.PI / 2 - (elevation > 1.5 ? 0 : 0.45), elevation,
    });
    atHome = true;
    look();
    const wide = FILLED * tangent * aspect, tall = FILLED * tangent;
    const most = [-Infinity, -Infinity, -Infinity, -Infinity]; // to the right, left, top and bottom
    for (const corner of listCorners()) {
      const from = add(corner, camera.target, -1), depth = dot(from, forward);
      const x = dot(from, right) / wide, y = dot(from, up) / tall;
      [x, -x, y, -y].forEach((end, i) => { most[i] = Math.max(most[i], end - depth); });
    }
    if (!Number.isFinite(most[0])) return;
    const aside = wide * (most[0] - most[1]) / 2, above = tall * (most[2] - most[3]) / 2;
    camera.target = add(add(camera.target, right, aside), up, above);
    camera.distance = Math.max((most[0] + most[1]) / 2, (most[2] + most[3]) / 2, span / 100);
    look(); // the pointer may come before the next frame
  };
  const LEAST = 0.02, MOST = Math.PI / 2 - 0.001;
  let view, eye, right, up, forward, tangent, aspect;
  const look = () => {
    const { azimuth: a, elevation: e, distance: d, target } = camera;
    forward = [-Math.cos(e) * Math.cos(a), -Math.cos(e) * Math.sin(a), -Math.sin(e)];
    eye = add(target, forward, -d);
    right = unit(cross(forward, [0, 0, 1]));
    up = cross(right, forward);
    aspect = (stage.clientWidth || 1) / (stage.clientHeight || 1);
    tangent = Math.tan(Math.PI / 8);
    const near = d / 100, far = d + 4 * span, depth = (far + near) / (near - far);
    const rows = [right, up, forward].map((axis) => [...axis, -dot(axis, eye)]);
    const clip = [
      rows[0].map((x) => x / (tangent * aspect)), rows[1].map((x) => x / tangent),
      rows[2].map((x, i) => -depth * x + (i === 3 ? 2 * far * near / (near - far) : 0)), rows[2],
    ];
    view = new Float32Array(16).map((_, i) => clip[i % 4][i >> 2]);
  };

  // --- drawing
  const held = new Map(); // pointers that are down
  let hovered = null, mark = null, waiting = false;
  const shown = { names: false };
  const MANY = 4000; // more nodes than this lose their edges and names while they are moved
  const draw = () => {
    waiting = false;
    const coarse = held.size > 0 && data.nodes.length > MANY;
    const scale = devicePixelRatio || 1;
    const width = Math.round(stage.clientWidth * scale);
    const height = Math.round(stage.clientHeight * scale);
    for (const each of [canvas, overlay])
      if (each.width !== width || each.height !== height)
        Object.assign(each, { width, height });
    look();
    const ink = rgb(css("--ink"));
    gl.viewport(0, 0, width, height);
    gl.clearColor(...rgb(css("--stage")), 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(boxes.made);
    gl.uniformMatrix4fv(boxes.at("view"), false, view);
    const solid = ({ array, count }, mode, vertices, colour) => {
      gl.uniform4f(boxes.at("colour"), ...colour);
      gl.bindVertexArray(array);
      gl.drawArraysInstanced(mode, 0, vertices, count);
    };
    for (const { kind, faces: sides, edges: lines } of solids) {
      if (!kind.on || !sides.count) continue;
      if (!kind.clear) solid(sides, gl.TRIANGLES, 36, [...rgb(kind.colour), 1]);
      if (kind.lines && !coarse) solid(lines, gl.LINES, 24, [...rgb(kind.colour).map((x) => 0.55 * x), 1]);
    }
    if (mark) solid(mark, gl.LINES, 24, [...rgb(css("--mark")), 1]);
    gl.useProgram(plain.made);
    gl.uniformMatrix4fv(plain.at("view"), false, view);
    const flat = ({ array, count }, mode, colour) => {
      gl.uniform4f(plain.at("colour"), ...colour);
      gl.bindVertexArray(array);
      gl.drawArrays(mode, 0, count);
    };
    const rooms = ROOM >= 0 && data.kinds[ROOM].on;
    if (rooms) flat(floorShape, gl.TRIANGLES, [...rgb(css("--floor")), 1]);
    gl.disable(gl.DEPTH_TEST); // relations are seen through what is in the way
    for (const relation of relations)
      if (relation.on) flat(relation.shape, gl.LINES, [...relation.colour, 0.9]);
    gl.enable(gl.DEPTH_TEST);
    if (rooms) {
      flat(outlineShape, gl.LINES, [...ink, 0.55]);
      gl.depthMask(false);
      flat(wallShape, gl.TRIANGLES, [...rgb(data.kinds[ROOM].colour), 0.14]);
      gl.depthMask(true);
    }
    gl.useProgram(boxes.made);
    gl.depthMask(false); // doors are seen through
    for (const { kind, faces: sides } of solids)
      if (kind.on && kind.clear && sides.count) solid(sides, gl.TRIANGLES, 36, [...rgb(kind.colour), 0.3]);
    gl.depthMask(true);
    drawNames(scale, coarse);
  };
  const redraw = () => {
    if (!waiting) { waiting = true; requestAnimationFrame(draw); }
  };
  const onScreen = (place) => {
    const [x, y, , w] = times(view, place);
    return w <= 0 ? null : [(x / w + 1) / 2 * overlay.width, (1 - y / w) / 2 * overlay.height, w];
  };
  const write = (pen, text, x, y, scale, colour) => {
    pen.lineWidth = 3 * scale;
    pen.strokeStyle = css("--stage");
    pen.strokeText(text, x, y);
    pen.fillStyle = css(colour);
    pen.fillText(text, x, y);
  };
  const takeCells = (taken, x, y, half, scale) => { // false if something is written there
    const cells = [];
    for (let u = x - half; u <= x + half + 12 * scale; u += 12 * scale)
      for (const v of [y - 8 * scale, y + 4 * scale])
        cells.push(`${Math.round(u / (12 * scale))} ${Math.round(v / (12 * scale))}`);
    if (cells.some((cell) => taken.has(cell))) return false;
    cells.forEach((cell) => taken.add(cell));
    return true;
  };
  const drawRoomNames = (pen, scale, taken) => { // on the floors, smaller or cut where they must
    for (const room of data.rooms) {
      const corners = [];
      for (let i = 0; i < room.outline.length; i += 2)
        corners.push(onScreen([room.outline[i], room.outline[i + 1], room.low]));
      if (corners.some((corner) => !corner)) continue;
      const places = room.places.map((place) => { // with the space at the narrower side
        const [x, y] = onScreen(place);
        const free = Math.min(overlay.width, ...[-14, -7, 0, 7, 14].flatMap((v) =>
          crossings(corners, y + v * scale).map((u) => Math.abs(u - x)))) - 3 * scale;
        return { x, y, free };
      });
      const widest = Math.max(...places.map((place) => place.free), 0);
      let lines = [room.name], size = 13, half = 0;
      const measure = () => {
        pen.font = `600 ${size * scale}px system-ui, sans-serif`;
        half = Math.max(...lines.map((line) => pen.measureText(line).width)) / 2;
      };
      const shrink = (least) => { while (half > widest && size > least) { size--; measure(); } };
      measure();
      shrink(10);
      const breaks = [...room.name.matchAll(/ /g)].map((found) => found.index);
      if (half > widest && breaks.length) { // in two lines, as equal as can be
        const off = (at) => Math.abs(at - room.name.length / 2);
        const at = breaks.reduce((a, b) => (off(b) < off(a) ? b : a));
        lines = [room.name.slice(0, at), room.name.slice(at + 1)];
        size = 13;
        measure();
      }
      shrink(8);
      while (half > widest && lines.some((line) => line.length > 2)) {
        lines = lines.map((line) => pen.measureText(line).width / 2 > widest && line.length > 2
          ? line.slice(0, -2).trimEnd() + "\u2026" : line);
        measure();
      }
      const fit = places.find(({ x, y, free }) => half <= free && takeCells(taken, x, y, half, scale));
      lines.forEach((line, i) => fit && write(pen, line, fit.x,
        fit.y + size * scale * (0.35 + 1.15 * (i - (lines.length - 1) / 2)), scale, "--muted"));
    }
  };
  const drawNames = (scale, coarse) => {
    const pen = overlay.getContext("2d");
    pen.clearRect(0, 0, overlay.width, overlay.height);
    pen.textAlign = "center";
    pen.lineJoin = "round";
    const taken = new Set(), places = [];
    if (ROOM >= 0 && data.kinds[ROOM].on) drawRoomNames(pen, scale, taken);
    if (!shown.names || coarse) return;
    for (const node of data.nodes) {
      if (node[3] === ROOM || !data.kinds[node[3]].on || !data.kinds[node[3]].lines) continue;
      const at = onScreen([node[4], node[5], node[6] + node[9] / 2]);
      if (at) places.push([at, node]);
    }
    places.sort((a, b) => a[0][2] - b[0][2]);
    pen.font = `${11 * scale}px system-ui, sans-serif`;
    for (const [[x, y], node] of places.slice(0, 2000)) {
      const half = pen.measureText(node[14]).width / 2;
      if (takeCells(taken, x, y - 8 * scale, half, scale))
        write(pen, node[14], x, y - 4 * scale, scale, "--ink");
    }
  };

  // --- what is under the pointer: the nearest box that the ray meets
  const pick = (event) => {
    const area = stage.getBoundingClientRect();
    const x = (event.clientX - area.left) / area.width * 2 - 1;
    const y = 1 - (event.clientY - area.top) / area.height * 2;
    const ray = add(add(forward, right, x * tangent * aspect), up, y * tangent);
    let best = Infinity, found = null;
    for (const node of data.nodes) {
      if (node[3] === ROOM || !data.kinds[node[3]].on) continue;
      const back = [-node[10], -node[11], -node[12], node[13]];
      const from = rotate(back, [eye[0] - node[4], eye[1] - node[5], eye[2] - node[6]]);
      const along = rotate(back, ray);
      let enter = 0, leave = Infinity;
      for (let i = 0; i < 3; i++) {
        const half = Math.max(node[7 + i] / 2, span / 400); // thin things can be met, too
        const a = (-half - from[i]) / along[i], b = (half - from[i]) / along[i];
        enter = Math.max(enter, Math.min(a, b));
        leave = Math.min(leave, Math.max(a, b));
      }
      if (enter <= leave && enter < best) { best = enter; found = node; }
    }
    return found;
  };
  const hover = (event) => {
    const found = pick(event);
    if (found !== hovered) {
      hovered = found;
      mark = found && instances(edgeBuffer, [found]);
      tip.hidden = !found;
      if (found) tip.textContent = `${found[0]}\n${found[1]}${found[2] ? " · " + found[2] : ""}`;
      redraw();
    }
    const area = stage.getBoundingClientRect();
    const left = Math.min(event.clientX - area.left + 14, area.width - tip.offsetWidth - 4);
    Object.assign(tip.style, { left: `${left}px`, top: `${event.clientY - area.top + 14}px` });
  };

  // --- pointer, wheel and keys
  const turn = (dx, dy) => {
    atHome = false;
    camera.azimuth -= dx;
    camera.elevation = Math.min(MOST, Math.max(LEAST, camera.elevation + dy));
  };
  const shift = (dx, dy) => {
    atHome = false;
    const size = 2 * tangent * camera.distance / stage.clientHeight;
    camera.target = add(add(camera.target, right, -dx * size), up, dy * size);
  };
  const zoom = (factor) => {
    atHome = false;
    camera.distance = Math.min(10 * span, Math.max(span / 500, camera.distance * factor));
  };
  stage.addEventListener("pointerdown", (event) => {
    held.set(event.pointerId, event);
    stage.setPointerCapture(event.pointerId);
  });
  for (const name of ["pointerup", "pointercancel"])
    stage.addEventListener(name, (event) => { held.delete(event.pointerId); redraw(); });
  stage.addEventListener("pointerleave", () => { tip.hidden = true; });
  stage.addEventListener("pointermove", (event) => {
    const last = held.get(event.pointerId);
    if (!last) { hover(event); return; }
    const dx = event.clientX - last.clientX, dy = event.clientY - last.clientY;
    if (held.size === 2) {
      const other = [...held.values()].find((each) => each.pointerId !== event.pointerId);
      const gap = (e) => Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY) || 1;
      zoom(gap(last) / gap(event));
      shift(dx / 2, dy / 2);
    } else if (event.shiftKey || last.buttons & 6) shift(dx, dy);
    else turn(dx * 0.008, dy * 0.008);
    held.set(event.pointerId, event);
    redraw();
  });
  stage.addEventListener("contextmenu", (event) => event.preventDefault());
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(event.deltaY * (event.deltaMode ? 0.05 : 0.0015)));
    redraw();
  }, { passive: false });
  stage.addEventListener("keydown", (event) => {
    const keys = {
      ArrowLeft: () => turn(0.1, 0), ArrowRight: () => turn(-0.1, 0),
      ArrowUp: () => turn(0, 0.1), ArrowDown: () => turn(0, -0.1),
      "+": () => zoom(0.9), "-": () => zoom(1.1),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
    redraw();
  });

  // --- switches
  const panel = document.getElementById("switches");
  const button = (text, act) => {
    const made = document.createElement("button");
    made.textContent = text;
    made.addEventListener("click", () => { act(); redraw(); });
    panel.append(made);
  };
  const toggle = (text, colour, owner, key) => {
    const label = document.createElement("label"), box = document.createElement("input");
    const swatch = document.createElement("i");
    box.type = "checkbox";
    box.checked = owner[key];
    swatch.style.background = colour;
    box.addEventListener("change", () => { owner[key] = box.checked; redraw(); });
    label.append(box, ...(colour ? [swatch] : []), text);
    panel.append(label);
  };
  button("3D", () => home(0.75));
  button("from above", () => home(MOST));
  toggle("names", "", shown, "names");
  data.kinds.forEach((kind, index) => {
    const count = data.nodes.filter((node) => node[3] === index).length;
    if (count) toggle(`${kind.name} (${count})`, kind.colour, kind, "on");
  });
  relations.forEach((relation, index) => toggle(
    `${relation.name} (${relation.count})`, relationColours[index % relationColours.length],
    relation, "on"));

  home(0.75);
  new ResizeObserver(() => {
    if (atHome) home(camera.elevation);
    redraw();
  }).observe(stage);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  redraw();
})();
