"""The feature templates of the seven machines (see ``learning/templates.py``).

After Toutanova et al. 2003 and Collins 2002 (tags), Sha & Pereira 2003 (chunks), Ouchi et al. 2014
(supertags), Zhang & Nivre 2011 and Bohnet & Nivre 2012 (dependencies), Zhang & Clark 2009 and
Zhu et al. 2013 (constituents), Bach et al. 2012 (boundaries of EDUs), Ji & Eisenstein 2014 and
Heilman & Sagae 2015 (discourse).
"""

__all__ = ["TEMPLATES"]


def _templates(text):
    """Read templates, divided by bars or the ends of lines."""
    return text.strip().replace("\n", "|").split("|")


TEMPLATES = {
    "tags": _templates("""
q0.form|q0.lower|q0.p1|q0.p2|q0.p3|q0.s1|q0.s2|q0.s3|q0.s4|q0.shape|q0.flag|q0.s2 q0.flag
q0.s3 q0.shape|q0.p2 q0.s2|s0.label|s0.label s1.label|s0.label q0.lower|s0.label s1.label q0.lower
s0.label q0.s2|s0.label q0.s3|s0.label q0.shape|q-1.lower|q-2.lower|q1.lower|q2.lower
q-1.lower q0.lower|q0.lower q1.lower|q1.s2|q1.s3|q1.shape|q-1.s2|s0.label q1.lower|s0.label q1.s3
q1.flag|s0.label q1.flag|q-1.flag q1.flag|q-1.lower q1.lower|q0.s3 q1.s3|q0.flag q1.flag q-1.flag
s0.label s1.label q0.s3|q0.c32|q0.c128|q0.c512|q0.c2048|q1.c32|q1.c128|q1.c512|q-1.c128|q-1.c32
s0.label q0.c128|s0.label q0.c32|s0.label q1.c128|q2.c128|q0.c128 q1.c128|q0.c128 q0.s2
q0.c512 q0.s1|q0.c128 q1.lower|s0.label s1.label q0.c128|q0.c128 q0.flag|q0.c2048 q0.flag
"""),
    "chunks": _templates("""
q0.lower|q0.form|q0.tag|q0.s3|q1.tag|q2.tag|q-1.tag|q-2.tag|q1.lower|q2.lower|q-1.lower|s0.label
s0.label s1.label|s0.label q0.tag|s0.label q0.lower|s0.label s1.label q0.tag|q-1.tag q0.tag
q0.tag q1.tag|q-1.tag q0.tag q1.tag|q0.tag q1.tag q2.tag|q-2.tag q-1.tag q0.tag|q-1.lower q0.lower
q0.lower q1.lower|q0.lower q1.tag|q0.tag q1.lower|q-1.lower q0.tag|q-1.tag q0.lower
s0.label q0.tag q1.tag|s0.label q0.lower q1.tag|s0.label q-1.tag q0.tag
s0.label q0.tag q1.tag q2.tag|q0.c128|q0.c32|q0.c128 q1.tag|q0.c128 q1.c128|q-1.c128 q0.c128
s0.label q0.c128|s0.label q0.c128 q1.tag|q3.tag|q0.tag q2.tag|q1.c128|s0.label q1.tag|q0.shape
"""),
    "supertags": _templates("""
q0.form|q0.lower|q0.s3|q0.s2|q0.tag|q1.tag|q2.tag|q3.tag|q-1.tag|q-2.tag|q1.lower|q2.lower
q-1.lower|q-2.lower|s0.label|s1.label s0.label|s0.label q0.tag|s0.label q0.lower
s0.label s1.label q0.tag|q-1.tag q0.tag|q0.tag q1.tag|q-1.tag q0.tag q1.tag|q0.tag q1.tag q2.tag
q-2.tag q-1.tag q0.tag|q-1.lower q0.lower|q0.lower q1.lower|q0.lower q1.tag|q0.tag q1.lower
q-1.lower q0.tag|q-1.tag q0.lower|q0.tag q1.tag q2.tag q3.tag|q-2.tag q-1.tag q0.tag q1.tag
q0.c128|q1.c128|q-1.c128|q0.c128 q1.tag|q0.c128 q-1.tag|q0.c128 q1.c128|q-1.c128 q0.c128|q0.c512
q0.c2048|q1.c32|q0.c32 q1.c32|q-1.c32 q0.c32 q1.c32|s0.label q0.c128|q0.lower q2.lower
q0.tag q2.lower|q0.lower q1.tag q2.tag|q0.c128 q1.tag q2.tag|q-1.tag q0.lower q1.tag
"""),
    "dependencies": _templates("""
s0.tag s0.form|s0.tag|s0.form|s0.lower|s1.tag s1.form|s1.tag|s1.lower|s2.tag|s2.tag s2.lower
q0.tag q0.lower|q0.tag|q0.lower|q1.tag|q1.tag q1.lower|q2.tag|q-1.tag|s0.tag s1.tag|s0.tag q0.tag
s0.tag q0.lower|s1.tag q0.tag|s2.tag s1.tag s0.tag|s2.tag s0.tag|s0.tag q0.tag q1.tag
s0lc.tag s0.tag|s0rc.tag s0.tag|s1lc.tag s1.tag|s1rc.tag s1.tag|s0.tag s1.tag s0lc.tag
s0.tag s1.tag s0rc.tag|s0.tag s1.tag s1lc.tag|s0.tag s1.tag s1rc.tag|s1.tag s1rc.tag q0.tag
s0.tag s0rc.tag q0.tag|s0.tag s0lc.tag s0lc2.tag|s0.tag s0rc.tag s0rc2.tag
s1.tag s1lc.tag s1lc2.tag|s1.tag s1rc.tag s1rc2.tag|s1lc.lower s1.tag s0.tag
s0lc.lower s0.tag s1.tag|s0rc.lower s0.tag s1.tag|s0.llab s0.tag|s0.rlab s0.tag|s1.llab s1.tag
s1.rlab s1.tag|s0.lset s0.tag|s0.rset s0.tag|s1.lset s1.tag|s1.rset s1.tag|s0.tag s1.tag s0.lset
s0.tag s1.tag s1.rset|s0.tag s1.tag s0.rset|s0.tag s1.tag s1.lset|s1.rset s1.lower
s1.lset s1.rset s1.tag|s0.tag s0.lset s0.rset|s1.lset s1.rset s1.tag s0.tag|s0.tag s1.tag s0.dist
s0.dist|s0.tag s0.nl|s0.tag s0.nr|s1.tag s1.nl|s1.tag s1.nr|s0.tag s0.dist|s1.tag s0.dist
s0.s2 s1.s2|s0.shape s1.shape s0.tag s1.tag|s0.s3 s0.tag|s1.s3 s1.tag
s0f.tag s0l.tag s1f.tag s1l.tag|s0p.tag s0f.tag s0.tag s1.tag|s1.tag s0.tag s0p.tag|s0.c128
s1.c128|q0.c128|s0.c128 s1.c128|s0.c32 s1.c32|s0.c128 s1.tag|s0.tag s1.c128|s0.c32 s1.c32 q0.tag
s0.c128 s1.c128 s0.dist|s0lc.c128 s0.c128 s1.tag|s1lc.c128 s1.c128 s0.tag|s1rc.c128 s1.c128 s0.tag
s1.tag s0.c128 s0lc.tag|s1.c128 s0.tag s1rc.tag|s1.c512 s0.tag s0lc.tag|s0.c128 q0.c128
s0.tag q0.c512|s0.stag|s1.stag|q0.stag|s2.stag|s0.stag s1.stag|s0.stag s1.tag|s0.tag s1.stag
s0.stag s1.stag s0.dist|s0.stag q0.stag|s1.stag q0.stag|s0.stag s1.stag s2.stag|s0.stag s0.lset
s1.stag s1.rset|s0.stag s1.stag s0.lset|s0.stag s1.stag s1.rset|q1.stag q0.stag
s0.stag q0.stag q1.stag
"""),
    "constituents": _templates("""
s0.tag s0.label|s0.tag s0.lower|s0.label s0.lower|s1.tag s1.label|s1.label s1.lower
s2.tag s2.label|s2.label s2.lower|q0.tag q0.lower|q1.tag q1.lower|q2.tag q2.lower|q3.tag
s0.label s0lc.label|s0.label s0rc.label|s1.label s1lc.label|s1.label s1rc.label
s0.label s0lc.label s0lc.lower|s0.label s0rc.label s0rc.lower|s1.label s1lc.label s1lc.lower
s1.label s1rc.label s1rc.lower|s0.lower s1.label s0.label|s0.label s1.lower s1.label
s0.label s1.label|s0.label s0.tag s1.label s1.tag|s0.lower q0.tag s0.label|s0.label q0.lower
s0.label q0.tag|s0.label s0.tag q0.tag|q0.lower q1.lower|q0.tag q1.tag|s1.label q0.lower
s1.label q0.tag|s1.lower q0.tag|s0.label s1.label s2.label|s0.lower s1.label s2.label
s0.label s1.lower s2.label|s0.label s1.label s2.lower|s0.label s1.label q0.tag
s0.lower s1.label q0.tag|s0.label s1.lower q0.tag|s0.label s1.label q0.lower
s0.label s1.label q0.tag q1.tag|s0.label s0.tag s1.label q0.tag|s0.label q0.tag q1.tag
s0.label s1.label s2.label q0.tag|s0.label s1.label s0lc.label|s0.label s1.label s0rc.label
s0.label s1.label s1lc.label|s0.label s1.label s1rc.label|s0.label s1.label s0f.tag
s0.label s0f.lower s0l.lower|s1.label s1f.lower s1l.lower|s0.label s0f.tag s0l.tag
s1.label s1f.tag s1l.tag|s0.label s1.label s1f.lower|s0.label s1.label s0f.lower
s0.label s1.label s0l.lower|s0.label s1l.lower s1.label|s0.label s1.label s0.size
s0.label s1.label s1.size|s0.label s0p.tag s0.tag|s0.label s1.label s0.nl s0.nr
s1.label s0.label s1.nl s1.nr|s0.label s0l.tag q0.tag|s0.label s0.lset|s0.label s0.rset
s1.label s1.rset|s0.label s1.label s1.rset|s0.tag q0.tag q1.tag q2.tag|s0.label s0p.lower
s0.label s0.tag s0n.tag|s1.label s1p.tag s1.tag|s0.label s1.label s1p.tag|s1.label s1p.lower
s0.c128 s0.label|s1.c128 s1.label|s0.c128 s1.c128 s0.label s1.label|s0.c128 s1.label s0.label
s0.label s1.c128 s1.label|s0.c512 s0.label s1.label|s1.c512 s1.label s0.label|q0.c128 s0.label
q0.c128 s0.label s1.label|s0.c512 s1.c512|s0.c128 q0.tag s0.label|s2.c128 s2.label s0.label
s0.label q0.chunk|s0.label s1.label q0.chunk|s0.label s0l.chunk q0.chunk
s0.label q0.chunk q1.chunk|s0.label s1.label s0l.chunk s1l.chunk|s0.label s0f.chunk s1.label
s0.label s1.label q0.chunk q1.chunk|s0.label s0.stag|s1.label s1.stag|s0.label s1.label s0.stag
s0.label s1.label s1.stag|s0.label s1.label s0.stag s1.stag|s0.label q0.stag
s0.label s1.label q0.stag|s0.label s0.stag q0.stag|s0.label s0.stag q0.stag q1.stag
s0.stag s1.stag q0.stag|s0.label s1.label s2.stag|s1.label s1.stag s0.label q0.stag
s0.label s1.label s0l.stag|s0.label s1.label s0f.stag|s0l.stag q0.stag s0.label
"""),
    "boundaries": _templates("""
q0.lower|q0.tag|q0.s3|q-1.lower|q-1.tag|q-2.lower|q-2.tag|q1.lower|q1.tag|q2.lower|q2.tag|q3.tag
q0.lower q1.lower|q0.tag q1.tag|q-1.lower q0.lower|q-1.tag q0.tag|q-1.tag q0.tag q1.tag
q-1.lower q0.tag|q-1.tag q0.lower|q0.lower q1.tag|q0.tag q1.tag q2.tag|q-2.tag q-1.tag q0.tag
q0.chunk|q0.chunk q1.chunk|q-1.chunk q0.chunk|q-1.chunk q0.chunk q1.chunk
q0.chunk q1.chunk q2.chunk|q0.chunk q1.chunk q2.chunk q3.chunk|q0.lower q1.chunk
q-1.lower q0.chunk|q-1.chunk q0.lower|s0.label|s0.label s1.label|s0.label q0.lower|s0.label q0.tag
q0.c128|q-1.c128|q-1.c128 q0.lower|q-1.c512 q0.tag|q-1.c128 q0.tag|q0.c128 q1.c128
q-1.c32 q0.c32 q1.c32|q0.c128 q1.tag|q0.tag q1.tag q2.tag q3.tag|q0.lower q1.tag q2.tag
q-1.lower q0.lower q1.tag|q-2.lower q-1.lower q0.lower|q0.lower q1.lower q2.lower
q-1.c2048 q0.lower|q0.lower q1.chunk q2.chunk|q-1.chunk q0.tag q1.chunk q2.chunk
q0.tag q2.tag q3.tag|q0.nv|q0.nv q0.nvd|q0.pv|q0.pv q0.pvd|q0.nv q0.pv|q0.tag q0.nv|q0.lower q0.nv
q-1.lower q0.nv|q0.lower q0.nv q0.nvd|q0.tag q0.nv q0.nvd|q0.np|q0.v2p|q0.vfp|q0.v2p q0.vfp
q0.lower q0.v2p|q0.lower q0.vfp|q0.lower q0.v2p q0.vfp|q-1.lower q0.v2p q0.vfp
q0.tag q0.v2p q0.vfp|q0.tag q-1.tag q0.v2p q0.vfp|s0.label q0.v2p q0.vfp|q0.pvw|q0.pvw q0.lower
q0.pvw q0.tag|q0.pvw q0.nvd q0.tag|q0.pvw q0.nv|q0.nvw|q0.nvw q0.lower|q0.ahead|q0.lower q0.pv
q0.tag q0.pv q0.pvd|q0.chunk q0.nv q0.v2p|q-1.tag q0.nv q0.nvd|q0.lower q0.np q0.v2p
q-1.tag q0.tag q0.nv|q0.seg|q0.seg q0.vfp|q0.seg q0.lower|q0.seg q0.tag|q0.seg q0.v2p q0.vfp
q0.segn|q0.segn q0.lower|q0.sub|q0.sub q0.subv|q0.sub q0.subv q0.tag|q0.sub q0.subv q-1.tag q0.tag
q0.sub q0.lower|q0.sub q0.nv q0.nvd|q0.par q0.lower|q0.par q0.tag|q0.par q-1.lower|q0.quo q0.lower
q0.quo q-1.lower|q0.nfin q0.tag|q0.nfin q0.v2p|q0.back|q0.back q0.chunk|q0.back q0.chunk q1.chunk
q0.back q0.tag|q0.back q0.lower|q0.back q0.pv q0.tag|q0.segp q-1.lower|q0.segp q0.vfp q-1.lower
q0.segp q0.tag|q0.back q0.sub|q0.subv q0.nv q0.nvd|q-1.lower q0.tag q0.nvd q0.v2p
q-1.lower q0.lower q0.v2p q0.vfp|q-1.lower q0.seg|q0.lower q0.nvd q0.v2p
q0.tag q1.tag q0.v2p q0.vfp
"""),
    "discourse": _templates("""
s0.w1lower|s0.w1tag|s0.w2lower|s0.w2tag|s0.wllower|s0.wltag|s0.wktag|s0.w1chunk|s0.words
s0.wklower|s0.w1lower s0.w2lower|s0.wklower s0.wllower|s1.w1lower|s1.w1tag|s1.w2lower|s1.w2tag
s1.wllower|s1.wltag|s1.wktag|s1.w1chunk|s1.words|s1.wklower|s1.w1lower s1.w2lower
s1.wklower s1.wllower|q0.w1lower|q0.w1tag|q0.w2lower|q0.w2tag|q0.wllower|q0.wltag|q0.wktag
q0.w1chunk|q0.words|q0.wklower|q0.w1lower q0.w2lower|q0.wklower q0.wllower|s0f.w1lower|s0f.w1tag
s0f.w2lower|s0f.w2tag|s0f.wllower|s0f.wltag|s0f.wktag|s0f.w1chunk|s0f.words|s0f.wklower
s0f.w1lower s0f.w2lower|s0f.wklower s0f.wllower|s1f.w1lower|s1f.w1tag|s1f.w2lower|s1f.w2tag
s1f.wllower|s1f.wltag|s1f.wktag|s1f.w1chunk|s1f.words|s1f.wklower|s1f.w1lower s1f.w2lower
s1f.wklower s1f.wllower|s1l.w1lower|s1l.w1tag|s1l.w2lower|s1l.w2tag|s1l.wllower|s1l.wltag
s1l.wktag|s1l.w1chunk|s1l.words|s1l.wklower|s1l.w1lower s1l.w2lower|s1l.wklower s1l.wllower
s0l.w1lower|s0l.w1tag|s0l.w2lower|s0l.w2tag|s0l.wllower|s0l.wltag|s0l.wktag|s0l.w1chunk|s0l.words
s0l.wklower|s0l.w1lower s0l.w2lower|s0l.wklower s0l.wllower|s2.w1lower|s2.w1tag|s0.label|s1.label
s2.label|s0.label s1.label|s0.size s1.size|s0.nl s0.nr|q1.w1lower|q1.w1tag
s0.label s1.label q0.w1tag|s0f.w1lower s1f.w1lower|s0.w1lower s1.w1lower|s0f.w1lower q0.w1lower
s1l.w1lower s0f.w1lower|s0f.w1tag s1f.w1tag|s0.w1tag s1.w1tag|s0f.w1tag q0.w1tag
s1l.w1tag s0f.w1tag|s0f.w1chunk s1f.w1chunk|s0.w1chunk s1.w1chunk|s0f.w1chunk q0.w1chunk
s1l.w1chunk s0f.w1chunk|s0f.words s1f.words|s0.words s1.words|s0f.words q0.words
s1l.words s0f.words|s0f.wltag s1f.wltag|s0.wltag s1.wltag|s0f.wltag q0.wltag|s1l.wltag s0f.wltag
s0f.wllower s1f.wllower|s0.wllower s1.wllower|s0f.wllower q0.wllower|s1l.wllower s0f.wllower
s0f.w1lower s0f.w2lower s1f.w1lower s1f.w2lower|s0f.w1lower s1l.wllower|s0f.w1lower s0f.w2tag
s0f.w1lower s0f.w2lower s0f.w3lower|s0f.w1lower s1.label|s0f.w1tag s1l.wltag q0.w1tag
s0.label s0f.w1lower|s1.label s1f.w1lower|s0l.wllower s0f.w1lower|s1f.w1lower s1l.wllower
q0.w1lower s0f.w1lower|s0f.wltag s1l.wltag s0f.w1tag|s0.final|q0.final|s0f.w1c128 s1f.w1c128
s0f.w1lower s1l.wklower s1l.wllower|s0f.w1chunk s1l.wltag|s0f.w1tag s0f.w2tag s0f.w1lower
s0f.w2tag s1l.wltag|s0f.w2lower s0f.w1tag|s1f.w1tag s1f.w2tag|s0f.w1tag s0f.w2tag s1l.wltag
"""),
}
