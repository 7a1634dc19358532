// Two rules of oxlint that hold the layers, told by the table in .oxlintrc.json. oxlint's own rules see neither
// `import("…").Type` nor `require`, and know a folder only by how the path to it is written.
import { isBuiltin } from "node:module";
import { dirname, relative, resolve, sep } from "node:path";

const texts = { type: "array", items: { type: "string" } };

/** A module imports from its own layer and those below it, types too. */
const downward = {
  meta: { type: "problem", schema: [{ type: "array", items: texts }] },
  create(context) {
    const [table] = context.options;
    const here = layerOf(context.filename);
    if (here === undefined) {
      return { Program: (node) => context.report({ node, message: `this file is in no layer: ${ADD}` }) };
    }
    return onImports((node) => {
      if (!node.value.startsWith(".") || node.value.endsWith(".json")) return;
      const there = layerOf(resolve(dirname(context.filename), node.value));
      if (there === undefined) context.report({ node, message: `'${node.value}' is in no layer: ${ADD}` });
      else if (there.folder !== here.folder && there.row <= here.row) {
        const stands = there.row === here.row ? "stands beside" : "stands above";
        const remedy = "Move what is shared to a layer below both.";
        context.report({ node, message: `${there.folder} ${stands} ${here.folder}: imports run downward. ${remedy}` });
      }
    });

    function layerOf(file) {
      const path = relative(context.cwd, file).split(sep).join("/");
      const layers = table.flatMap((folders, row) => folders.map((folder) => ({ folder, row })));
      // The longest: functions/restart has a place of its own below functions.
      return layers
        .filter(({ folder }) => path === folder || path.startsWith(`${folder}/`))
        .sort((a, b) => b.folder.length - a.folder.length)[0];
    }
  },
};

const ADD = "give its folder a place among the layers of .oxlintrc.json.";

/** A module has nothing of the world but what it is handed: no file, program, network, clock or environment. */
const pure = {
  meta: {
    type: "problem",
    schema: [
      {
        type: "object",
        properties: { builtins: texts, globals: texts },
        required: ["builtins", "globals"],
        additionalProperties: false,
      },
    ],
  },
  create(context) {
    const [{ builtins, globals }] = context.options;
    const remedy = "Take it from Io or the run's context.";
    return {
      ...onImports((node) => {
        if (!isBuiltin(node.value) || builtins.includes(node.value)) return;
        context.report({ node, message: `'${node.value}' reaches out of the process. ${remedy}` });
      }),
      "Program:exit"() {
        const { globalScope } = context.sourceCode.scopeManager;
        const declared = globals.flatMap((name) => globalScope.set.get(name)?.references ?? []);
        for (const { identifier: node, isTypeReference } of [...declared, ...globalScope.through]) {
          if (isTypeReference || !globals.includes(node.name)) continue;
          context.report({ node, message: `'${node.name}' reaches out of the module. ${remedy}` });
        }
      },
      // A clock and a die: the same input has to give the same output.
      NewExpression(node) {
        if (node.callee.name !== "Date" || node.arguments.length > 0) return;
        context.report({ node, message: `'new Date()' reads the clock. ${remedy}` });
      },
      MemberExpression(node) {
        const name = `${node.object.name}.${node.property.name}`;
        if (name !== "Date.now" && name !== "Math.random") return;
        context.report({ node, message: `'${name}' gives something else each time. ${remedy}` });
      },
    };
  },
};

/** Calls back with the text of each module that is named, in whatever way. */
function onImports(found) {
  const check = (node) => {
    if (typeof node?.value === "string") found(node);
  };
  return {
    ImportDeclaration: (node) => check(node.source),
    ExportNamedDeclaration: (node) => check(node.source),
    ExportAllDeclaration: (node) => check(node.source),
    ImportExpression: (node) => check(node.source),
    TSImportType: (node) => check(node.source),
    TSExternalModuleReference: (node) => check(node.expression),
    CallExpression({ callee, arguments: [name] }) {
      // `require("…")`, and `createRequire(import.meta.url)("…")`.
      if (callee.name === "require" || callee.callee?.name === "createRequire") check(name);
    },
  };
}

export default { meta: { name: "layers" }, rules: { downward, pure } };
