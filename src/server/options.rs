//! What the options are set to, for clients that show it before they ask: a route for each line of
//! [`views_of_options`].

use actix_web::{get, web};
use utoipa_actix_web::service_config::ServiceConfig;

use super::app::App;
use super::extract::Caller;
use super::problem::{Problem, ProblemBody};
use crate::council::features::views_of_options;
use crate::council::options;
use crate::identity::Permission;

macro_rules! routes {
    ($($route:ident $path:tt, $tag:tt: $option:ident $view:ident, $about:tt;)*) => {
        $(
            #[doc = $about]
            #[utoipa::path(tag = $tag, responses(
                (status = 200, body = options::$option::view::$view), (status = 401, body = ProblemBody)))]
            #[get($path)]
            async fn $route(
                app: web::Data<App>,
                caller: Caller,
            ) -> Result<web::Json<options::$option::view::$view>, Problem> {
                caller.may(Permission::Read)?;
                let (settings, _) = app.settings(&caller.scope()).await?;
                Ok(web::Json(options::$option::view::$view::of(&settings)))
            }
        )*

        /// The routes of all options.
        pub(super) fn table(routes: &mut ServiceConfig<'_>) {
            $(routes.service($route);)*
        }
    };
}

views_of_options!(routes);
