import { readFileSync } from "node:fs";
import { ToolRegistry } from "@toolwright/core";
const dir="/tmp/tw/disc/app/";
const allow=JSON.parse(readFileSync(dir+"allow.json"));
const files=Object.keys(allow).map(n=>dir+"node_modules/"+n+"/toolwright.manifest.json");
const r=[],d=[],o=[];
for(let k=0;k<15;k++){
 let a=performance.now(); for(const f of files) JSON.parse(readFileSync(f,"utf8")); r.push(performance.now()-a);
 a=performance.now(); (await ToolRegistry.discover({from:dir+"x.js",allow})).list(); d.push(performance.now()-a);
 a=performance.now(); (await ToolRegistry.discover({from:dir+"x.js",allow:{"@acme/tools-p0":{}}})).list(); o.push(performance.now()-a);
}
const m=x=>x.toSorted((a,b)=>a-b)[7].toFixed(1);
console.log(r.map(x=>x.toFixed(1)).join(" "),"\n",d.map(x=>x.toFixed(1)).join(" "));
console.log("read",m(r),"all",m(d),"one",m(o));
