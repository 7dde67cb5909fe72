from sklearn_mteval.datasets.campaigns.esa import load_esa as load_esa
from sklearn_mteval.datasets.campaigns.mlqe import load_mlqe as load_mlqe
from sklearn_mteval.datasets.campaigns.mqm import load_mqm as load_mqm
from sklearn_mteval.datasets.campaigns.mtme import load_mtme as load_mtme
from sklearn_mteval.datasets.campaigns.pearmut import load_pearmut as load_pearmut
from sklearn_mteval.datasets.campaigns.wmt import load_wmt as load_wmt
from sklearn_mteval.datasets.corruptions.corrupt import corrupt as corrupt
from sklearn_mteval.datasets.corruptions.training import add_corruptions as add_corruptions
from sklearn_mteval.datasets.judgements import Judgements as Judgements
from sklearn_mteval.datasets.judgements import load_judgements as load_judgements
from sklearn_mteval.datasets.own.rankings import load_rankings as load_rankings
from sklearn_mteval.datasets.own.table_blocks import candidate_blocks as candidate_blocks
from sklearn_mteval.datasets.own.tidy import candidates_from_frame as candidates_from_frame
from sklearn_mteval.datasets.own.tidy import to_long as to_long
from sklearn_mteval.datasets.sample import load_sample as load_sample
from sklearn_mteval.datasets.sample import make_rankings as make_rankings
from sklearn_mteval.datasets.scores import load_scores as load_scores
from sklearn_mteval.datasets.suspicious.findings import suspicious_texts as suspicious_texts
from sklearn_mteval.datasets.text_files import load_translations as load_translations
from sklearn_mteval.datasets.text_files import translation_blocks as translation_blocks
from sklearn_mteval.linguistic.reval.similarity import (
    similarity_from_rankings as similarity_from_rankings,
)
