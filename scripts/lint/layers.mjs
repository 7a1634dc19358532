// Three rules of oxlint that enforce the layers of .oxlintrc.json. oxlint's own rules ignore `import("…").Type` and `require`,
// match folders only by the written path, and treat `fs` and `node:fs` as different modules.
import { isBuiltin } from "node:module";
import { dirname, relative, resolve, sep } from "node:path";

const texts = { type: "array", items: { type: "string" } };

/** A module imports only from its own layer and the layers below, including types. */
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
      // The longest match: functions/restart is in another layer than functions.
      return layers
        .filter(({ folder }) => path === folder || path.startsWith(`${folder}/`))
        .sort((a, b) => b.folder.length - a.folder.length)[0];
    }
  },
};

const ADD = "give its folder a place among the layers of .oxlintrc.json.";

/** A module reaches the outside world only through its parameters: no files, programs, network, clock or environment. */
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
      // Time and randomness: the same input must give the same output.
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

/** Only one module may use a module of Node, or some of its names. */
const alone = {
  meta: {
    type: "problem",
    schema: [
      {
        type: "array",
        items: {
          type: "object",
          // Without names: the whole module except its types.
          properties: { module: { type: "string" }, names: texts, message: { type: "string" } },
          required: ["module", "message"],
          additionalProperties: false,
        },
      },
    ],
  },
  create(context) {
    const rows = new Map(context.options[0].map((row) => [row.module, row]));
    const rowOf = (source) => (typeof source?.value === "string" ? rows.get(named(source.value)) : undefined);
    const report = (node, { message }) => context.report({ node, message });
    const eachName = (kind, nameOf) => (node) => {
      const row = rowOf(node.source);
      if (row === undefined || node[kind] === "type") return;
      for (const specifier of node.specifiers) {
        if (specifier[kind] === "type") continue;
        const name = nameOf(specifier);
        // `import * as fs` and the default import contain every name.
        if (row.names === undefined || name === undefined || name === "default" || row.names.includes(name))
          report(specifier, row);
      }
      if (node.specifiers.length === 0 && row.names === undefined) report(node, row);
    };
    const whole = (node, source) => {
      const row = rowOf(source);
      if (row !== undefined) report(node, row);
    };
    return {
      ImportDeclaration: eachName("importKind", ({ type, imported }) =>
        type === "ImportDefaultSpecifier" ? "default" : imported?.name,
      ),
      ExportNamedDeclaration: eachName("exportKind", ({ local }) => local.name),
      ExportAllDeclaration: (node) => whole(node, node.source),
      ImportExpression: (node) => whole(node, node.source),
      TSExternalModuleReference: (node) => whole(node, node.expression),
      CallExpression(node) {
        if (takesModule(node)) whole(node, node.arguments[0]);
      },
    };
  },
};

/** The name of a module of Node, with or without `node:`. */
function named(module) {
  return isBuiltin(module) && !module.startsWith("node:") ? `node:${module}` : module;
}

/** `require("…")`, `createRequire(import.meta.url)("…")` and `process.getBuiltinModule("…")`. */
function takesModule({ callee }) {
  return (
    callee.name === "require" || callee.callee?.name === "createRequire" || callee.property?.name === "getBuiltinModule"
  );
}

/** Calls back with the specifier of each imported module, in any form. */
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
    CallExpression(node) {
      if (takesModule(node)) check(node.arguments[0]);
    },
  };
}

export default { meta: { name: "layers" }, rules: { downward, pure, alone } };
