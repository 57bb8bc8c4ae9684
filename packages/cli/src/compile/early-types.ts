import { ts } from "typescript-json-schema";
import { decoratorsOf } from "./decorators.js";
import type { Project } from "./project.js";

/**
 * With `emitDecoratorMetadata`, TypeScript writes the classes that decorated members and their parameters name into the
 * compiled file, to be read when it is imported. One that is declared further down, or in a file that imports this one,
 * is not there yet. Nothing here needs those metadata, so the author is told.
 */
export function warnOfEarlyTypes(member: ts.Declaration, subject: string, project: Project): void {
  if (project.config.options.emitDecoratorMetadata !== true || !project.isOwnSource(member.getSourceFile())) return;
  const parameters = ts.isMethodDeclaration(member) ? member.parameters : [];
  if (![member, ...parameters].some((each) => decoratorsOf(each, project).length > 0)) return;
  for (const node of typesOf(member, parameters)) {
    const early = classesIn(node, project).find((declaration) => isEarly(declaration, member, project));
    if (early === undefined) continue;
    const name = early.name?.text ?? "the class";
    project.warn(node, subject, {
      code: "BUILD_EARLY_TYPE",
      reason: `\`emitDecoratorMetadata\` makes the compiled file read ${name} before it is there, so importing the file fails.`,
      fix: `Declare ${name} further up, or in a file that does not import this one; or take "emitDecoratorMetadata" out of the tsconfig, which Toolwright does not need.`,
    });
  }
}

function typesOf(member: ts.Declaration, parameters: readonly ts.ParameterDeclaration[]): readonly ts.TypeNode[] {
  const own = ts.isPropertyDeclaration(member) || ts.isMethodDeclaration(member) ? [member.type] : [];
  return [...own, ...parameters.map(({ type }) => type)].filter((node) => node !== undefined);
}

/** The classes that TypeScript would write for a type: a name, alone or beside null and undefined. */
function classesIn(node: ts.TypeNode, project: Project): readonly ts.ClassDeclaration[] {
  if (ts.isUnionTypeNode(node)) return node.types.flatMap((part) => classesIn(part, project));
  if (!ts.isTypeReferenceNode(node)) return [];
  const declaration = project.symbolOf(node.typeName)?.declarations?.find(ts.isClassDeclaration);
  return declaration === undefined ? [] : [declaration];
}

function isEarly(declaration: ts.ClassDeclaration, member: ts.Declaration, project: Project): boolean {
  const [there, here] = [declaration.getSourceFile(), member.getSourceFile()];
  return there === here ? declaration.pos > member.parent.pos : reaches(there, here, project, new Set());
}

/** Whether one file imports another, directly or through others. */
function reaches(from: ts.SourceFile, to: ts.SourceFile, project: Project, seen: Set<ts.SourceFile>): boolean {
  if (seen.has(from) || from.isDeclarationFile) return false;
  seen.add(from);
  return from.statements.some((statement) => {
    const specifier = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement) ? statement.moduleSpecifier : undefined;
    const isType = ts.isImportDeclaration(statement) && statement.importClause?.isTypeOnly === true;
    const target = specifier === undefined || isType ? undefined : project.symbolOf(specifier)?.declarations?.[0]?.getSourceFile();
    return target !== undefined && (target === to || reaches(target, to, project, seen));
  });
}
