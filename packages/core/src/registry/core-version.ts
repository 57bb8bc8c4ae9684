/** The version of this package. A constant, so that a bundle knows it too; a test keeps it equal to package.json. */
export const coreVersion = "0.1.0";
